import type { StreamConfig } from '@nats-io/jetstream';
import { TOKENS } from '@tandem/actor-core';
import type { NatsConfig } from '../config.ts';
import { versionAtLeast } from './check-server.ts';

/** Stored records are published again under this prefix; readers follow there. */
export const LIVE_PREFIX = 'live.';

const NANOS_PER_MS = 1_000_000;

/** Which stream holds which subjects. */
export interface StreamPlan {
  readonly streams: readonly PlannedStream[];
  /** The stream of a subject; undefined for one that is in none. */
  streamOf(subject: string): string | undefined;
}

export interface PlannedStream {
  readonly name: string;
  readonly subjects: readonly string[];
}

/**
 * Spreads the tokens evenly over pairs of streams: `TANDEM_CMD_<i>` for commands and conversations, `TANDEM_EVT_<i>`
 * for journals, each with a RAFT leader of its own.
 */
export function planStreams(pairs: number): StreamPlan {
  if (!Number.isInteger(pairs) || pairs < 1 || pairs > TOKENS) {
    throw new RangeError(`streamPairs must be a whole number from 1 to ${TOKENS}`);
  }
  const streams: PlannedStream[] = [];
  const byPrefix = new Map<string, string>();
  for (let pair = 0; pair < pairs; pair++) {
    const tokens = tokensOf(pair, pairs);
    for (const { name, kinds } of [
      { name: `TANDEM_CMD_${pair}`, kinds: ['cmd', 'conv'] },
      { name: `TANDEM_EVT_${pair}`, kinds: ['evt'] },
    ]) {
      const prefixes = kinds.flatMap((kind) => tokens.map((token) => `${kind}.${token}`));
      streams.push({ name, subjects: prefixes.map((prefix) => `${prefix}.>`) });
      for (const prefix of prefixes) byPrefix.set(prefix, name);
    }
  }
  return {
    streams,
    streamOf: (subject) => byPrefix.get(subject.slice(0, subject.indexOf('.', subject.indexOf('.') + 1))),
  };
}

function tokensOf(pair: number, pairs: number): number[] {
  const first = Math.floor((pair * TOKENS) / pairs);
  const end = Math.floor(((pair + 1) * TOKENS) / pairs);
  return Array.from({ length: end - first }, (_, index) => first + index);
}

/** How a stream is configured on a server of this version. */
export function streamConfig(
  stream: PlannedStream,
  config: NatsConfig,
  serverVersion: string,
): Partial<StreamConfig> & { name: string } {
  const modern = versionAtLeast(serverVersion, '2.10.0');
  return {
    name: stream.name,
    subjects: [...stream.subjects],
    storage: 'file',
    retention: 'limits',
    discard: 'new',
    num_replicas: config.replicas,
    max_bytes: config.maxBytesPerStream,
    max_age: config.maxAgeMs * NANOS_PER_MS,
    allow_direct: true,
    republish: { src: '>', dest: `${LIVE_PREFIX}>` },
    ...(modern && {
      compression: 's2',
      metadata: { 'tandem.pairs': String(config.streamPairs), 'tandem.subjects': describe(stream.subjects) },
    }),
  };
}

/** `cmd.0.> … cmd.63.>`, shortened for people. */
function describe(subjects: readonly string[]): string {
  return `${subjects[0]} to ${subjects.at(-1)}`;
}
