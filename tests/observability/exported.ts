import type { Metrics } from '@tandem/platform';
import { registries, type Service } from './registries.ts';

/** A metric as it is exported. */
export interface Exported {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly help: string;
  readonly labels: readonly string[];
  readonly services: readonly Service[];
}

/** All metrics that the services export, by name, those of the process included. */
export async function exportedMetrics(): Promise<Map<string, Exported>> {
  const all = new Map<string, Exported>();
  for (const [service, { registry }] of Object.entries(registries()) as [Service, Metrics][]) {
    for (const { name, type, help, labels } of await metricsOf(registry)) {
      const services = [...(all.get(name)?.services ?? []), service];
      all.set(name, { name, type, help, labels, services });
    }
  }
  return all;
}

async function metricsOf(registry: Metrics['registry']) {
  return (await registry.getMetricsAsJSON()).map(({ name, type, help }) => {
    const { labelNames = [] } = registry.getSingleMetric(name) as unknown as { labelNames?: string[] };
    return { name, help, labels: labelNames, type: String(type) as Exported['type'] };
  });
}

/** The names of the series that a metric appears as in Prometheus. */
export function seriesOf({ name, type }: Exported): string[] {
  if (type === 'histogram') return [`${name}_bucket`, `${name}_sum`, `${name}_count`];
  return type === 'summary' ? [name, `${name}_sum`, `${name}_count`] : [name];
}
