export { extractTrace, injectTrace, traceIdOf } from './propagation.ts';
export { startTracing, type Tracing, type TracingOptions } from './start-tracing.ts';
