import type { ConnectionOptions } from '@nats-io/nats-core';
import type { RedisOptions } from 'ioredis';

/** Where the engines are, and what the cluster asks of them. */
export interface ClusterConfig {
  readonly nats: NatsConfig;
  readonly redis: RedisConfig;
  /** Refuse to start where the engines promise less than they could (see `Cluster.advice`). */
  readonly durable?: boolean;
}

export interface NatsConfig {
  /** `nats://host:port` or `tls://…`; several are nodes of one cluster. */
  readonly servers: readonly string[];
  /** Credentials and TLS, as nats.js takes them. */
  readonly connection?: Pick<ConnectionOptions, 'user' | 'pass' | 'token' | 'tls' | 'authenticator'>;
  /** Pairs of streams over which turns are spread, 1 to 64. Fixed once the streams exist. */
  readonly streamPairs: number;
  /** Copies of each record: 1, 3 or 5. */
  readonly replicas: number;
  /** Most bytes that one stream holds, and as many more each copy. */
  readonly maxBytesPerStream: number;
  /** Records older than this are dropped, milliseconds. */
  readonly maxAgeMs: number;
}

export interface RedisConfig {
  /** `redis://` or `rediss://`, with credentials and database number. */
  readonly url: string;
  readonly connection?: Pick<RedisOptions, 'tls'>;
}

/** Unless the operator says otherwise. */
export const CLUSTER_DEFAULTS = {
  streamPairs: 1,
  replicas: 1,
  maxBytesPerStream: 4 * 1024 ** 3,
  maxAgeMs: 24 * 60 * 60 * 1000,
} as const;
