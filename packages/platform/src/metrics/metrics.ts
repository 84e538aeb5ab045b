import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { boundLabels, combinations, type Labels, type LabelValues } from './bounded-labels.ts';

/** What all kinds of metrics declare. `tandem_` is put before the name. */
export interface MetricOptions<L extends LabelValues> {
  /** With its unit and, for counters, `_total` at the end, as Prometheus advises. */
  name: string;
  help: string;
  labels?: L;
}

/** A count that only grows. */
export interface CounterMetric<L extends LabelValues> {
  inc(labels: Labels<L>, by?: number): void;
}

/** A value that goes up and down. */
export interface GaugeMetric<L extends LabelValues> {
  set(labels: Labels<L>, value: number): void;
  inc(labels: Labels<L>, by?: number): void;
  dec(labels: Labels<L>, by?: number): void;
}

/** A distribution. */
export interface HistogramMetric<L extends LabelValues> {
  observe(labels: Labels<L>, value: number): void;
}

/** A service's metrics: one registry, and what declares metrics in it. Each name is declared once. */
export interface Metrics {
  readonly registry: Registry;
  counter<const L extends LabelValues = Record<never, never>>(options: MetricOptions<L>): CounterMetric<L>;
  /** With `collect`, a value that is asked for when the metrics are read. */
  gauge<const L extends LabelValues = Record<never, never>>(
    options: MetricOptions<L> & { collect?: (gauge: GaugeMetric<L>) => void | Promise<void> },
  ): GaugeMetric<L>;
  histogram<const L extends LabelValues = Record<never, never>>(
    options: MetricOptions<L> & { buckets: readonly number[] },
  ): HistogramMetric<L>;
  /** The content type of {@link text}. */
  readonly contentType: string;
  /** All metrics in Prometheus' text format. */
  text(): Promise<string>;
}

/** Counters with no more series than this show all of them from the start: what begins at 1 has no rate. */
const MOST_FROM_ZERO = 160;

/** Seconds, from half a millisecond to a minute: for answers and stores. */
export const LATENCY_BUCKETS: readonly number[] = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];

/** Options of {@link createMetrics}. */
export interface MetricsOptions {
  service: string;
  /** Also measure the process: CPU, memory, garbage collection, delay of the event loop. On by default. */
  processMetrics?: boolean;
}

/** Makes a service's metrics. */
export function createMetrics({ service, processMetrics = true }: MetricsOptions): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  if (processMetrics) collectDefaultMetrics({ register: registry });
  return {
    registry,
    counter: (options) => declareCounter(registry, options),
    gauge: (options) => declareGauge(registry, options),
    histogram: (options) => declareHistogram(registry, options),
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}

function declare<L extends LabelValues>(registry: Registry, { name, help, labels }: MetricOptions<L>) {
  const settings = {
    name: `tandem_${name}`,
    help,
    labelNames: Object.keys(labels ?? {}),
    registers: [registry],
  };
  return { settings, bound: boundLabels<L>(labels ?? ({} as L)) };
}

function declareCounter<L extends LabelValues>(
  registry: Registry,
  options: MetricOptions<L>,
): CounterMetric<L> {
  const { settings, bound } = declare(registry, options);
  const counter = new Counter(settings);
  for (const labels of combinations(options.labels ?? {}, MOST_FROM_ZERO)) counter.inc(labels, 0);
  return { inc: (labels, by = 1) => counter.inc(bound(labels), by) };
}

function declareGauge<L extends LabelValues>(
  registry: Registry,
  options: MetricOptions<L> & { collect?: (gauge: GaugeMetric<L>) => void | Promise<void> },
): GaugeMetric<L> {
  const { settings, bound } = declare(registry, options);
  const { collect } = options;
  const gauge = new Gauge({ ...settings, ...(collect && { collect: () => collect(metric) }) });
  const metric: GaugeMetric<L> = {
    set: (labels, value) => gauge.set(bound(labels), value),
    inc: (labels, by = 1) => gauge.inc(bound(labels), by),
    dec: (labels, by = 1) => gauge.dec(bound(labels), by),
  };
  return metric;
}

function declareHistogram<L extends LabelValues>(
  registry: Registry,
  options: MetricOptions<L> & { buckets: readonly number[] },
): HistogramMetric<L> {
  const { settings, bound } = declare(registry, options);
  const histogram = new Histogram({ ...settings, buckets: [...options.buckets] });
  return { observe: (labels, value) => histogram.observe(bound(labels), value) };
}
