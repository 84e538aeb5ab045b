import { parse } from 'yaml';

/** Values of a rendering: what the chart's defaults and the combination's file come to. */
// biome-ignore lint/suspicious/noExplicitAny: the schema has checked their form.
export type Values = any;

/** One row of the table of flows, with the ports that it comes to. */
export interface Flow {
  readonly from: string;
  readonly to: string;
  readonly ports: readonly { readonly port: number; readonly protocol: string }[];
  readonly why: string;
}

interface Row {
  readonly from: string;
  readonly to: string;
  readonly ports: readonly { port?: number; value?: string; values?: string; protocol?: string }[];
  readonly when?: keyof typeof CONDITIONS;
  readonly why: string;
}

/** A port that listens although no flow leads there. */
export interface LocalPort {
  readonly component: string;
  readonly port: number;
  readonly why: string;
}

/** What the conditions of the table mean, told a second time: the chart's own helper is what is tested. */
export const CONDITIONS = {
  albHealthChecks: (v: Values): boolean => v.ingress.enabled && v.ingress.controller === 'alb',
  metrics: (v: Values): boolean => v.metrics.monitor !== 'none',
  natsExporter: (v: Values): boolean =>
    v.metrics.monitor !== 'none' && v.nats.enabled && v.nats.exporter.enabled,
  valkeyExporter: (v: Values): boolean =>
    v.metrics.monitor !== 'none' && v.valkey.enabled && v.valkey.exporter.enabled,
  ownNats: (v: Values): boolean => v.nats.enabled,
  natsCluster: (v: Values): boolean => v.nats.enabled && v.nats.replicas > 1,
  ownValkey: (v: Values): boolean => v.valkey.enabled,
  externalNats: (v: Values): boolean => !v.nats.enabled,
  externalValkey: (v: Values): boolean => !v.valkey.enabled,
  blobCache: (v: Values): boolean => v.blobCache.existingSecret !== '',
  tracing: (v: Values): boolean => v.tracing.enabled,
};

/** Reads the table as written, for the README. */
export function readRows(text: string): { flows: Row[]; local: LocalPort[] } {
  const table = parse(text) as { flows: Row[]; local: LocalPort[] };
  for (const { when } of table.flows) {
    if (when !== undefined && !(when in CONDITIONS)) throw new Error(`flows.yaml: ${when} is no condition`);
  }
  return table;
}

/** The flows that exist with these values. */
export function flowsWith(values: Values, rows: readonly Row[]): Flow[] {
  return rows
    .filter(({ when }) => when === undefined || CONDITIONS[when](values))
    .map(({ from, to, why, ports }) => ({
      from,
      to,
      why,
      ports: ports.flatMap(({ port, value, values: path, protocol = 'TCP' }) => {
        const numbers: number[] = port ? [port] : [valueAt(values, value ?? path ?? '')].flat();
        return numbers.map((number) => ({ port: number, protocol }));
      }),
    }));
}

function valueAt(values: Values, path: string): Values {
  return path.split('.').reduce((value, name) => value[name], values);
}
