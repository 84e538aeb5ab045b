import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { DASHBOARDS } from '../../deploy/grafana/index.ts';
import { exportedMetrics } from '../../tests/observability/exported.ts';
import { FAULTS } from '../../tests/observability/faults.ts';
import { catalogueOf, holdTurns, scriptLoad } from '../../tests/observability/load.ts';
import { startWatchedSystem, type WatchedSystem } from '../../tests/observability/system.ts';
import { makeFolder, removeFolder } from '../../tests/support/engines/folder.ts';
import { Report } from '../check-helm/report.ts';
import { help } from '../help.ts';
import { withoutVariables } from '../prometheus/names.ts';
import { findPrometheus, promtoolFaults, readAlerts } from '../prometheus/prometheus.ts';
import { type Prometheus, startPrometheus } from './prometheus.ts';

help(`npm run check:observability

A real Prometheus scrapes real gateways and workers through a short load and some faults; every query of the dashboards and alerts
must have shown something. Takes about two minutes.`);

const LOAD_MS = 25_000;
const AT_ONCE = 4;
/** A scrape, and a round of the alerts' evaluation behind it. */
const SETTLE_MS = 3000;
/** As Grafana would have it at this scrape interval. */
const RATE_INTERVAL = '15s';

const say = (line: string) => console.error(line);
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const report = new Report();
const programs = await findPrometheus(say);
const folder = makeFolder('observability');
try {
  await using system = await startWatchedSystem({
    workers: 2,
    env: ({ baseUrl }) => {
      writeFileSync(join(folder, 'models.yaml'), stringify(catalogueOf(baseUrl)));
      return { TANDEM_USAGE_METRICS_BY_USER: 'true', TANDEM_MODELS_FILE: join(folder, 'models.yaml') };
    },
  });
  await using prometheus = await startPrometheus(programs.prometheus, {
    gateway: system.cluster.gateways.map(hostOf),
    worker: system.cluster.workers.map(hostOf),
  });
  await run(system, prometheus);
} finally {
  removeFolder(folder);
}
process.exit(report.close());

async function run(system: WatchedSystem, prometheus: Prometheus): Promise<void> {
  const from = Date.now() / 1000;
  await checkNames(system);
  scriptLoad(system);
  const turns = await holdTurns(system, LOAD_MS, AT_ONCE);
  const failed = turns.filter(({ asExpected }) => !asExpected);
  say(`${turns.length} turns held`);
  const faults = failed.map(({ result }) => `a turn is ${result.status}: ${String(result.error)}`);
  report.check('the load', faults);
  await pause(SETTLE_MS);
  await checkQueries(prometheus, from, Date.now() / 1000);
  for (const fault of FAULTS) {
    say(`fault: ${fault.name}`);
    await fault.cause(system);
    await pause(SETTLE_MS);
    for (const query of fault.shows) {
      const series = await prometheus.now(query);
      const seen = series.flat().some((value) => value > 0);
      report.check(`${fault.name}: ${query}`, seen ? [] : ['shows nothing']);
    }
  }
  for (const [alert, health] of await prometheus.alerts())
    report.check(`${alert} is evaluated`, health === 'ok' ? [] : [health]);
}

/** What real processes export is what the checks without processes go by; promtool finds nothing wrong with names of ours. */
async function checkNames({ cluster }: WatchedSystem): Promise<void> {
  const all = [...(await exportedMetrics()).values()];
  const [gateway, worker] = [cluster.gateways[0], cluster.workers[0]];
  for (const [service, node] of Object.entries({ gateway, worker })) {
    const text = await (await fetch(`${node?.url}/metrics`)).text();
    const found = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name ?? '');
    const known = all.filter(({ services }) => services.includes(service as never)).map(({ name }) => name);
    report.check(`a ${service}'s metrics`, [
      ...found
        .filter((name) => !known.includes(name))
        .map((name) => `${name} is exported, but not known here`),
      ...known.filter((name) => !found.includes(name)).map((name) => `${name} is not exported`),
    ]);
    const own = text.replace(/^(# \w+ )?(?!#|tandem_).*\n/gm, '');
    report.check(
      `promtool check metrics: ${service}`,
      promtoolFaults(programs.promtool, ['check', 'metrics'], own),
    );
  }
}

async function checkQueries(prometheus: Prometheus, from: number, to: number): Promise<void> {
  const check = async (name: string, exprs: readonly string[]) => {
    const faults: string[] = [];
    for (const expr of exprs) {
      const series = await prometheus.range(withoutVariables(expr, RATE_INTERVAL), from, to);
      if (!series.flat().some(Number.isFinite)) faults.push(`no data: ${expr}`);
    }
    report.check(name, faults);
  };
  for (const { title, rows } of DASHBOARDS) {
    for (const panel of rows.flatMap(({ panels }) => panels)) {
      await check(
        `${title}: ${panel.title}`,
        panel.queries.map(({ expr }) => expr),
      );
    }
  }
  for (const { alert, expr } of readAlerts()) await check(alert, watchedBy(expr));
}

/** What an alert watches, without its bounds: all of that has data while all is well. */
function watchedBy(alert: string): string[] {
  const unbounded = alert.replace(/absent\((\w+)\)/g, '$1').replace(/\s(==|[<>]=?)\s[\d.]+/g, '');
  return unbounded.split(/\s+and\s+/);
}

function hostOf({ url }: { readonly url: string }): string {
  return new URL(url).host;
}
