/** One line (or set of lines) of a panel. */
export interface Query {
  /** PromQL; `$__rate_interval` is Grafana's. */
  readonly expr: string;
  /** As Grafana names series: `{{label}}` is a label's value. */
  readonly legend: string;
}

export interface Panel {
  readonly title: string;
  /** What it shows, and what to think of it. */
  readonly about: string;
  /** Grafana's name of a unit. */
  readonly unit: string;
  readonly queries: readonly Query[];
  /** A number for the last value, in place of a plot. */
  readonly kind?: 'stat';
  readonly stacked?: boolean;
  readonly max?: number;
  /** From here on a number is yellow, and red. */
  readonly warnAt?: number;
  readonly badAt?: number;
  /** Up to here a number is red. */
  readonly goodFrom?: number;
}

interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

export interface Dashboard {
  /** Also the name of its file. */
  readonly uid: string;
  readonly title: string;
  readonly about: string;
  readonly rows: readonly Row[];
}

/** A counter's rate a second, summed over all but these labels. */
export function rate(series: string, ...by: string[]): string {
  return `sum${grouped(by)}(rate(${series}[$__rate_interval]))`;
}

/** A quantile of a histogram. */
export function quantile(q: number, histogram: string, ...by: string[]): string {
  const [name, matchers = ''] = histogram.split(/(?=\{)/);
  return `histogram_quantile(${q}, sum by (${['le', ...by].join(', ')}) (rate(${name}_bucket${matchers}[$__rate_interval])))`;
}

/** The median, and what 1 in 20 and 1 in 100 exceed. */
export function quantiles(histogram: string): Query[] {
  return [0.5, 0.95, 0.99].map((q) => ({ expr: quantile(q, histogram), legend: `p${q * 100}` }));
}

/** A share of all, 0 to 1; nothing happening is no share. */
export function share(part: string, all: string, ...by: string[]): string {
  return `${rate(part, ...by)} / (${rate(all, ...by)} > 0)`;
}

function grouped(by: readonly string[]): string {
  return by.length > 0 ? ` by (${by.join(', ')}) ` : '';
}
