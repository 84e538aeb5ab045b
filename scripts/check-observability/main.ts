import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { DASHBOARDS } from '../../deploy/grafana/index.ts';
import { makeFolder, removeFolder } from '../../tests/engines/folder.ts';
import { exportedMetrics } from '../../tests/observability/exported.ts';
import { FAULTS } from '../../tests/observability/faults.ts';
import { catalogueOf, holdTurns, scriptLoad } from '../../tests/observability/load.ts';
import { startWatchedSystem, type WatchedSystem } from '../../tests/observability/system.ts';
import { Report } from '../check-helm/report.ts';
import { help } from '../help.ts';
import { findPrometheus, readAlerts } from '../prometheus/prometheus.ts';
import { type Prometheus, startPrometheus } from './prometheus.ts';
import { hasData, watchedBy } from './queries.ts';

help(`npm run check:observability

A real Prometheus scrapes real gateways and workers through a short load and some faults; every query of the dashboards and alerts
must have shown something. Takes about two minutes.`);

const LOAD_MS = 25_000;
const AT_ONCE = 4;
/** A scrape, and a round of the alerts' evaluation behind it. */
const SETTLE_MS = 3000;

const say = (line: string) => console.error(line);
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const report = new Report();
const programs = await findPrometheus(say);
const folder = makeFolder('observability');
try {
  await using system = await startWatchedSystem({
    workers: 2,
    env: { TANDEM_USAGE_METRICS_BY_USER: 'true', TANDEM_MODELS_FILE: join(folder, 'models.yaml') },
    envOf: (url) => {
      writeFileSync(join(folder, 'models.yaml'), stringify(catalogueOf(url)));
      return {};
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
  report.check(
    'the load',
    failed.map(({ result }) => `a turn is ${result.status}: ${String(result.error)}`),
  );
  await pause(SETTLE_MS);
  await checkQueries(prometheus, from, Date.now() / 1000);
  for (const fault of FAULTS) {
    say(`fault: ${fault.name}`);
    await fault.cause(system);
    await pause(SETTLE_MS);
    for (const query of fault.shows) {
      const series = await prometheus.now(query);
      const seen = series.some((values) => values.some((value) => value > 0));
      report.check(`${fault.name}: ${query}`, seen ? [] : ['shows nothing']);
    }
  }
  for (const [alert, health] of await prometheus.alerts())
    report.check(`${alert} is evaluated`, health === 'ok' ? [] : [health]);
}

/** What real processes export is what the checks without processes go by. */
async function checkNames({ cluster }: WatchedSystem): Promise<void> {
  const all = [...(await exportedMetrics()).values()];
  for (const [service, node] of Object.entries({
    gateway: cluster.gateways[0],
    worker: cluster.workers[0],
  })) {
    const text = await (await fetch(`${node?.url}/metrics`)).text();
    const found = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name ?? ''));
    const expected = new Set(
      all.filter(({ services }) => services.includes(service as never)).map(({ name }) => name),
    );
    report.check(`a ${service}'s metrics`, [
      ...[...found]
        .filter((name) => !expected.has(name))
        .map((name) => `${name} is exported, but not known here`),
      ...[...expected].filter((name) => !found.has(name)).map((name) => `${name} is not exported`),
    ]);
  }
}

async function checkQueries(prometheus: Prometheus, from: number, to: number): Promise<void> {
  for (const { title, rows } of DASHBOARDS) {
    for (const { panels } of rows) {
      for (const panel of panels) {
        const faults: string[] = [];
        for (const { expr } of panel.queries)
          if (!(await hasData(prometheus, expr, from, to))) faults.push(`no data: ${expr}`);
        report.check(`${title}: ${panel.title}`, faults);
      }
    }
  }
  for (const { alert, expr } of readAlerts()) {
    const parts = watchedBy(expr);
    const faults: string[] = [];
    for (const part of parts)
      if (!(await hasData(prometheus, part, from, to))) faults.push(`no data: ${part}`);
    report.check(alert, faults);
  }
}

function hostOf({ url }: { readonly url: string }): string {
  return new URL(url).host;
}
