import type { Exported } from '../../tests/observability/exported.ts';
import { seriesOf } from '../../tests/observability/exported.ts';
import { readQuery, withoutVariables } from '../prometheus/promql.ts';

/** Labels that a scrape gives its targets, here as in the chart and in Compose. */
const TARGET_LABELS = ['instance', 'job', 'component', 'pod'];
/** Prometheus' own, about scraping. */
const OF_PROMETHEUS = ['up'];

/** What is wrong with a query's names, given all that is exported. */
export function nameFaults(expr: string, exported: readonly Exported[]): string[] {
  const bySeries = new Map(exported.flatMap((metric) => seriesOf(metric).map((name) => [name, metric])));
  const { selections, grouping, faults } = readQuery(withoutVariables(expr));
  const wrong = faults.map((at) => `cannot be parsed at ${at}`);
  const known = new Set([...TARGET_LABELS, 'le']);
  for (const { metric, labels } of selections) {
    const found = bySeries.get(metric);
    if (!found && !OF_PROMETHEUS.includes(metric)) wrong.push(`${metric} is not exported`);
    const own = [...(found?.labels ?? []), ...TARGET_LABELS];
    for (const label of own) known.add(label);
    for (const label of labels) if (!own.includes(label)) wrong.push(`${metric} has no label ${label}`);
  }
  for (const label of grouping) if (!known.has(label)) wrong.push(`nothing here has a label ${label}`);
  return wrong;
}
