import { parser } from '@prometheus-io/lezer-promql';
import { type Exported, seriesOf } from '../../tests/observability/exported.ts';

/** Labels that a scrape gives its targets, here as in the chart and in Compose. */
const TARGET_LABELS = ['instance', 'job', 'component', 'pod'];
/** Prometheus' own, about scraping. */
const OF_PROMETHEUS = ['up'];

/** What is wrong with the names in a query, given all that is exported. Whether it can be parsed is promtool's to say. */
export function nameFaults(expr: string, exported: readonly Exported[]): string[] {
  const bySeries = new Map(exported.flatMap((metric) => seriesOf(metric).map((name) => [name, metric])));
  const { selections, grouping } = namesIn(withoutVariables(expr));
  const wrong: string[] = [];
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

/** Grafana's variables as a Prometheus of its own knows them. */
export function withoutVariables(expr: string, rateInterval = '1m'): string {
  return expr.replaceAll('$__rate_interval', rateInterval);
}

/** The metrics that a query selects, each with the labels it filters by; and the labels it groups by. */
function namesIn(expr: string) {
  const selections: { metric: string; labels: string[] }[] = [];
  const grouping: string[] = [];
  let labels = grouping;
  parser.parse(expr).iterate({
    enter: ({ type, from, to }) => {
      const selection = selections.at(-1);
      if (type.name === 'VectorSelector') selections.push({ metric: '', labels: [] });
      else if (type.name === 'Identifier' && selection?.metric === '')
        selection.metric = expr.slice(from, to);
      else if (type.name === 'GroupingLabels') labels = grouping;
      else if (type.name === 'LabelMatchers') labels = selection?.labels ?? grouping;
      else if (type.name === 'LabelName') labels.push(expr.slice(from, to));
    },
  });
  return { selections, grouping };
}
