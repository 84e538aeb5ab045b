import { CLUSTER_DEFAULTS, type Cluster, type ClusterObserver, connectCluster } from '@tandem/cluster';
import { inject } from 'vitest';

export interface OpenOptions {
  readonly natsUrl?: string;
  readonly redisUrl?: string;
  readonly streamPairs?: number;
  readonly replicas?: number;
  readonly maxBytesPerStream?: number;
  readonly observer?: ClusterObserver;
}

/** The ports on the run's shared engines, or on others. */
export function openCluster(options: OpenOptions = {}): Promise<Cluster> {
  const { natsUrl = inject('natsUrl'), redisUrl = inject('redisUrl'), observer, ...nats } = options;
  return connectCluster(
    {
      nats: {
        ...CLUSTER_DEFAULTS,
        maxBytesPerStream: 256 * 1024 * 1024,
        ...nats,
        servers: natsUrl.split(','),
      },
      redis: { url: redisUrl },
    },
    { service: 'test', observer },
  );
}
