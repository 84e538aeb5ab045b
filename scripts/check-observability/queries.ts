import { parser } from '@prometheus-io/lezer-promql';
import { readQuery, withoutVariables } from '../prometheus/promql.ts';
import type { Prometheus } from './prometheus.ts';

/** As Grafana would have it at this scrape interval. */
export const RATE_INTERVAL = '15s';
const COMPARISONS = ['Eql', 'Neq', 'Gtr', 'Lss', 'Gte', 'Lte'];

/** Whether a query had a value at some time of the run. */
export async function hasData(prometheus: Prometheus, expr: string, from: number, to: number) {
  const series = await prometheus.range(withoutVariables(expr, RATE_INTERVAL), from, to);
  return series.some(({ samples }) => samples.some(([, value]) => Number.isFinite(value)));
}

/** What an alert watches, without its bounds: all of that has data while all is well. */
export function watchedBy(alert: string): string[] {
  const parts: string[] = [];
  parser.parse(alert).iterate({
    enter: ({ node }) => {
      if (node.name === 'BinaryExpr') {
        if (!COMPARISONS.some((name) => node.getChild(name))) return true;
        const side = node.firstChild;
        if (side) parts.push(alert.slice(side.from, side.to));
        return false;
      }
      if (node.name === 'FunctionCall' && alert.slice(node.from, node.to).startsWith('absent(')) {
        parts.push(...readQuery(alert.slice(node.from, node.to)).selections.map(({ metric }) => metric));
        return false;
      }
      return true;
    },
  });
  return parts;
}
