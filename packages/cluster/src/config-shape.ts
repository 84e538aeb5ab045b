import { type ConfigOf, kind, secret, setting } from '@tandem/platform';
import { CLUSTER_DEFAULTS, type ClusterConfig } from './config.ts';

/** Where the engines are, as variables: the same for gateways and workers. */
export const clusterConfigShape = {
  /** Refuse to start on engines that promise less than they could: one replica, an evicting Redis, … */
  durable: setting('DURABLE', kind.bool({ default: false })),
  natsServers: setting('NATS_URL', kind.list({ default: 'nats://127.0.0.1:4222', min: 1 })),
  natsUser: setting('NATS_USER', kind.optional(kind.text())),
  natsPassword: secret('NATS_PASSWORD', kind.optional(kind.text())),
  natsToken: secret('NATS_TOKEN', kind.optional(kind.text())),
  natsCaFile: setting('NATS_CA_FILE', kind.optional(kind.text())),
  streamPairs: setting(
    'STREAM_PAIRS',
    kind.integer({ default: CLUSTER_DEFAULTS.streamPairs, min: 1, max: 64 }),
  ),
  replicas: setting('REPLICAS', kind.integer({ default: CLUSTER_DEFAULTS.replicas, min: 1, max: 5 })),
  maxBytesPerStream: setting('STREAM_MAX_SIZE', kind.byteSize({ default: '4GiB', min: '16MiB' })),
  maxAgeMs: setting('STREAM_MAX_AGE', kind.duration({ default: '24h', min: '13h' })),
  redisUrl: secret(
    'REDIS_URL',
    kind.url({ protocols: ['redis', 'rediss'], default: 'redis://127.0.0.1:6379' }),
  ),
} as const;

/** What `connectCluster` takes, from the settings. */
export function clusterConfigOf(config: ConfigOf<typeof clusterConfigShape>): ClusterConfig {
  const { natsServers: servers, natsUser, natsPassword, natsToken, natsCaFile, redisUrl } = config;
  const { durable, streamPairs, replicas, maxBytesPerStream, maxAgeMs } = config;
  const connection = {
    ...(natsUser !== undefined && { user: natsUser }),
    ...(natsPassword !== undefined && { pass: natsPassword }),
    ...(natsToken !== undefined && { token: natsToken }),
    ...(natsCaFile !== undefined && { tls: { caFile: natsCaFile } }),
  };
  return {
    nats: { servers, connection, streamPairs, replicas, maxBytesPerStream, maxAgeMs },
    redis: { url: redisUrl },
    durable,
  };
}
