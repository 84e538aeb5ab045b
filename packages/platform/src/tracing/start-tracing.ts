import { randomUUID } from 'node:crypto';
import { context, propagation, type Tracer, trace } from '@opentelemetry/api';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from '../log/logger.ts';

/** Options of {@link startTracing}. */
export interface TracingOptions {
  service: string;
  version?: string;
  enabled: boolean;
  /** Where an OpenTelemetry collector takes traces by HTTP, such as `http://collector:4318/v1/traces`. */
  endpoint?: string;
  /** The share of traces kept, 0 to 1, where no sender has decided yet; 1 by default. */
  sampleRatio?: number;
  /** Hears of spans that could not be sent when tracing stops. */
  log?: Logger;
  /** Takes the spans instead of the endpoint. */
  exporter?: SpanExporter;
}

/** Running traces. `tracer` makes spans that cost nothing while tracing is off. */
export interface Tracing {
  readonly tracer: Tracer;
  /** Sends what is left and stops; never fails, a collector that is away must not hold a service up. */
  shutdown(): Promise<void>;
}

/** Starts tracing, one per process. The SDK is only loaded when tracing is on. */
export async function startTracing(options: TracingOptions): Promise<Tracing> {
  const { service, version } = options;
  if (!options.enabled) return { tracer: trace.getTracer(service, version), shutdown: async () => {} };
  const sdk = await createSdk(options);
  sdk.start();
  return {
    tracer: trace.getTracer(service, version),
    shutdown: async () => {
      await sdk
        .shutdown()
        .catch((error: unknown) => options.log?.warn({ err: error }, 'last spans were not sent'));
      trace.disable();
      context.disable();
      propagation.disable();
    },
  };
}

async function createSdk({ service, version, endpoint, sampleRatio = 1, exporter }: TracingOptions) {
  const [
    { NodeSDK },
    { OTLPTraceExporter },
    { ParentBasedSampler, TraceIdRatioBasedSampler },
    core,
    resources,
  ] = await Promise.all([
    import('@opentelemetry/sdk-node'),
    import('@opentelemetry/exporter-trace-otlp-proto'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/core'),
    import('@opentelemetry/resources'),
  ]);
  return new NodeSDK({
    resource: resources.resourceFromAttributes({
      'service.name': service,
      'service.instance.id': randomUUID(),
      ...(version && { 'service.version': version }),
    }),
    autoDetectResources: false,
    traceExporter: exporter ?? new OTLPTraceExporter({ ...(endpoint && { url: endpoint }) }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleRatio) }),
    textMapPropagator: new core.W3CTraceContextPropagator(),
    // Metrics are Prometheus', logs are lines: the SDK's own of these would send to a collector unasked.
    metricReaders: [],
    logRecordProcessors: [],
    instrumentations: [],
  });
}
