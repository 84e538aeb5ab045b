import { parser } from '@prometheus-io/lezer-promql';

/** What a query asks of one metric. */
export interface Selection {
  readonly metric: string;
  /** Labels that it filters by. */
  readonly labels: readonly string[];
}

/** What a query refers to. */
export interface References {
  readonly selections: readonly Selection[];
  /** Labels that it groups by. */
  readonly grouping: readonly string[];
  /** Places, as offsets, where it can't be parsed. */
  readonly faults: readonly number[];
}

/** Reads a query of PromQL. */
export function readQuery(expr: string): References {
  const selections: { metric: string; labels: string[] }[] = [];
  const grouping: string[] = [];
  const faults: number[] = [];
  let grouped = false;
  parser.parse(expr).iterate({
    enter: ({ type, from, to }) => {
      const text = expr.slice(from, to);
      if (type.isError) faults.push(from);
      else if (type.name === 'VectorSelector') selections.push({ metric: '', labels: [] });
      else if (type.name === 'GroupingLabels') grouped = true;
      else if (type.name === 'Identifier') {
        const selection = selections.at(-1);
        if (selection && selection.metric === '') selection.metric = text;
      } else if (type.name === 'LabelName') {
        if (grouped) grouping.push(text);
        else selections.at(-1)?.labels.push(text);
      }
    },
    leave: ({ type }) => {
      if (type.name === 'GroupingLabels') grouped = false;
    },
  });
  return { selections, grouping, faults };
}

/** Grafana's variables as a Prometheus of its own knows them. */
export function withoutVariables(expr: string, rateInterval = '1m'): string {
  return expr.replaceAll('$__rate_interval', rateInterval);
}
