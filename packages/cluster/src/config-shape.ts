import { type ConfigOf, kind, secret, setting } from '@tandem/platform';
import { CLUSTER_DEFAULTS, type ClusterConfig } from './config.ts';

/** Where the engines are, as variables: the same for gateways and workers. */
export const clusterConfigShape = {
  durable: setting(
    'DURABLE',
    kind.bool({ default: false }),
    'refuse to start on engines that promise less than they could (one replica, an old NATS, a Redis that evicts or keeps nothing)',
  ),
  natsServers: setting(
    'NATS_URL',
    kind.list({ default: 'nats://127.0.0.1:4222', min: 1 }),
    'the nodes of one NATS cluster',
  ),
  natsUser: setting('NATS_USER', kind.optional(kind.text()), 'the user at NATS'),
  natsPassword: secret('NATS_PASSWORD', kind.optional(kind.text()), "the user's password"),
  natsToken: secret('NATS_TOKEN', kind.optional(kind.text()), 'a token instead of user and password'),
  natsCaFile: setting(
    'NATS_CA_FILE',
    kind.optional(kind.text()),
    'the certificate authority of `tls://` servers',
  ),
  streamPairs: setting(
    'STREAM_PAIRS',
    kind.integer({ default: CLUSTER_DEFAULTS.streamPairs, min: 1, max: 64 }),
    'pairs of streams over which turns are spread; fixed once the streams exist',
  ),
  replicas: setting(
    'REPLICAS',
    kind.integer({ default: CLUSTER_DEFAULTS.replicas, min: 1, max: 5 }),
    'copies of each record: 1, 3 or 5',
  ),
  maxBytesPerStream: setting(
    'STREAM_MAX_SIZE',
    kind.byteSize({ default: '4GiB', min: '16MiB' }),
    'what one stream holds at most',
  ),
  maxAgeMs: setting(
    'STREAM_MAX_AGE',
    kind.duration({ default: '24h', min: '13h' }),
    'how long a stream keeps a record at most',
  ),
  redisUrl: secret(
    'REDIS_URL',
    kind.url({ protocols: ['redis', 'rediss'], default: 'redis://127.0.0.1:6379' }),
    'leases, the job queue and what users use; a secret, since it may hold a password',
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
