export { type Labels, type LabelValues, OTHER } from './bounded-labels.ts';
export {
  type CounterMetric,
  createMetrics,
  type GaugeMetric,
  type HistogramMetric,
  LATENCY_BUCKETS,
  type MetricOptions,
  type Metrics,
  type MetricsOptions,
} from './metrics.ts';
