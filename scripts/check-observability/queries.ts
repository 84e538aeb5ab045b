import { withoutVariables } from '../prometheus/promql.ts';
import type { Prometheus } from './prometheus.ts';

/** As Grafana would have it at this scrape interval. */
const RATE_INTERVAL = '15s';

/** Whether a query had a value at some time of the run. */
export async function hasData(prometheus: Prometheus, expr: string, from: number, to: number) {
  const series = await prometheus.range(withoutVariables(expr, RATE_INTERVAL), from, to);
  return series.some((values) => values.some(Number.isFinite));
}

/** What an alert watches, without its bounds: all of that has data while all is well. */
export function watchedBy(alert: string): string[] {
  const unbounded = alert.replace(/absent\((\w+)\)/g, '$1').replace(/\s(==|[<>]=?)\s[\d.]+/g, '');
  return unbounded.split(/\s+and\s+/);
}
