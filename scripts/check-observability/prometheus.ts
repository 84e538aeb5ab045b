import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { type Engine, startEngine } from '../../tests/support/engines/engine.ts';
import { ALERTS_FILE } from '../prometheus/prometheus.ts';

/** What is scraped, as `host:port`, by `component`. */
type Targets = Readonly<Record<string, readonly string[]>>;

/** The values of one series. */
type Series = readonly number[];

export type Prometheus = Awaited<ReturnType<typeof startPrometheus>>;

const STEP_S = 2;

/** A real Prometheus that scrapes once a second and evaluates the alerts. */
export async function startPrometheus(program: string, targets: Targets) {
  const engine = await startEngine({
    name: 'prometheus',
    program: { kind: 'binary', path: program, label: program },
    url: (port) => `http://127.0.0.1:${port}`,
    prepare: (port, folder) => {
      mkdirSync(join(folder, 'data'), { recursive: true });
      writeFileSync(join(folder, 'prometheus.yml'), configuration(targets));
      return [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--log.level=warn',
      ];
    },
    isReady: (port) =>
      fetch(`http://127.0.0.1:${port}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      ),
  });
  return apiOf(engine);
}

function configuration(targets: Targets): string {
  return stringify({
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: [ALERTS_FILE],
    scrape_configs: Object.entries(targets).map(([component, hosts]) => ({
      job_name: component,
      static_configs: [{ targets: hosts, labels: { component } }],
    })),
  });
}

interface Answer {
  readonly status: string;
  readonly error?: string;
  readonly data: {
    readonly result: readonly { value?: [number, string]; values?: [number, string][] }[];
    readonly groups: readonly { rules: { name: string; health: string; lastError?: string }[] }[];
  };
}

function apiOf(engine: Engine) {
  async function ask(path: string, parameters: Record<string, string> = {}): Promise<Answer['data']> {
    const response = await fetch(`${engine.url}/api/v1/${path}?${new URLSearchParams(parameters)}`);
    const answer = (await response.json()) as Answer;
    if (answer.status !== 'success') throw new Error(answer.error ?? `HTTP ${response.status}`);
    return answer.data;
  }
  return {
    /** Evaluates a query over a time, in seconds since 1970. @throws Error when Prometheus refuses it */
    range: async (query: string, from: number, to: number) => {
      const times = { start: String(from), end: String(to), step: String(STEP_S) };
      return (await ask('query_range', { query, ...times })).result.map(seriesOf);
    },
    /** Evaluates a query now. @throws Error when Prometheus refuses it */
    now: async (query: string) => (await ask('query', { query })).result.map(seriesOf),
    /** Health of each alert's evaluation, by its name. */
    alerts: async () => {
      const { groups } = await ask('rules');
      const rules = groups.flatMap(({ rules: all }) => all);
      return new Map(rules.map(({ name, health, lastError }) => [name, lastError ?? health]));
    },
    [Symbol.asyncDispose]: () => engine.stop(),
  };
}

function seriesOf({ value, values }: Answer['data']['result'][number]): Series {
  return (values ?? (value ? [value] : [])).map(([, number]) => Number(number));
}
