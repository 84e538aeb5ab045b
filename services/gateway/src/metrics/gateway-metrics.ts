import { ERROR_REASONS, type TandemError } from '@tandem/errors';
import { LATENCY_BUCKETS, type Metrics } from '@tandem/platform';
import type { ReaderEnd, ReaderObserver } from '../reader/reader-types.ts';

const READER_ENDS: readonly ReaderEnd[] = ['completed', 'drained', 'closed', 'stuck', 'failed'];

/** What a gateway measures. */
export interface GatewayMetrics {
  readonly reader: ReaderObserver;
  append(error: TandemError | undefined, ms: number): void;
  refused(error: TandemError): void;
  unimplemented(method: string): void;
  connectionFault(): void;
}

/**
 * Declares the gateway's metrics.
 * @param methods the names of all RPCs that the wire knows, as "Service/Method": what is unknown counts as "other"
 */
export function declareMetrics(
  metrics: Metrics,
  sources: {
    streams: () => number;
    bodyBytes: () => number;
    methods: readonly string[];
    fault: (error: unknown) => void;
  },
): GatewayMetrics {
  metrics.gauge({
    name: 'gateway_streams_open',
    help: 'Streams that clients read now.',
    collect: (gauge) => gauge.set({}, sources.streams()),
  });
  metrics.gauge({
    name: 'gateway_body_bytes',
    help: 'Bytes of request bodies that are being read or stored.',
    collect: (gauge) => gauge.set({}, sources.bodyBytes()),
  });
  const appends = metrics.counter({
    name: 'gateway_appends_total',
    help: 'Appends by what became of them.',
    labels: { outcome: ['stored', ...ERROR_REASONS] },
  });
  const appendSeconds = metrics.histogram({
    name: 'gateway_append_seconds',
    help: 'From the first byte of an append to its answer.',
    buckets: LATENCY_BUCKETS,
  });
  const refusals = metrics.counter({
    name: 'gateway_streams_refused_total',
    help: 'Streams refused, by reason.',
    labels: { reason: ERROR_REASONS },
  });
  const unimplemented = metrics.counter({
    name: 'gateway_unimplemented_total',
    help: 'Calls of methods that nobody serves.',
    labels: { method: sources.methods },
  });
  const connectionFaults = metrics.counter({
    name: 'gateway_connection_faults_total',
    help: 'Connections that broke, or broke the protocol.',
  });
  return {
    reader: declareReaderMetrics(metrics, sources.fault),
    append: (error, ms) => {
      appends.inc({ outcome: error?.reason ?? 'stored' });
      if (!error) appendSeconds.observe({}, ms / 1000);
    },
    refused: ({ reason }) => refusals.inc({ reason }),
    unimplemented: (method) => unimplemented.inc({ method }),
    connectionFault: () => connectionFaults.inc({}),
  };
}

function declareReaderMetrics(metrics: Metrics, fault: (error: unknown) => void): ReaderObserver {
  const firstFrame = metrics.histogram({
    name: 'gateway_first_event_seconds',
    help: 'From the opening of a stream to its first event.',
    buckets: LATENCY_BUCKETS,
  });
  const delta = metrics.histogram({
    name: 'gateway_delta_seconds',
    help: "From a worker's making of an entry until its frames were written to the client's socket, of live ones.",
    buckets: LATENCY_BUCKETS,
  });
  const frames = metrics.counter({ name: 'gateway_frames_total', help: 'Frames relayed.' });
  const bytes = metrics.counter({ name: 'gateway_frame_bytes_total', help: 'Bytes of frames relayed.' });
  const heartbeats = metrics.counter({ name: 'gateway_heartbeats_total', help: 'Heartbeat frames sent.' });
  const replays = metrics.counter({
    name: 'gateway_replays_total',
    help: 'Streams that began with stored events.',
  });
  const slow = metrics.counter({
    name: 'gateway_slow_readers_total',
    help: 'Times that a client took nothing for a second.',
  });
  const redispatches = metrics.counter({
    name: 'gateway_redispatches_total',
    help: 'Turns woken for want of a pulse.',
  });
  const ends = metrics.counter({
    name: 'gateway_streams_ended_total',
    help: 'Streams ended, by how.',
    labels: { end: READER_ENDS },
  });
  return {
    firstFrame: (ms) => firstFrame.observe({}, ms / 1000),
    relayed: (ms) => delta.observe({}, ms / 1000),
    frames: (count, size) => {
      frames.inc({}, count);
      bytes.inc({}, size);
    },
    heartbeat: () => heartbeats.inc({}),
    replayed: () => replays.inc({}),
    slow: () => slow.inc({}),
    redispatched: () => redispatches.inc({}),
    fault,
    ended: (end) => ends.inc({ end }),
  };
}
