import { CLUSTER_DEFAULTS, type Cluster, type ClusterObserver, connectCluster } from '@tandem/cluster';

/** How the engines are reached, and what of the streams is not as it is by default. */
export interface ConnectOptions {
  /** Several nodes of one cluster are separated by commas. */
  readonly natsUrl: string;
  readonly redisUrl: string;
  readonly streamPairs?: number;
  readonly replicas?: number;
  readonly maxBytesPerStream?: number;
  readonly observer?: ClusterObserver;
}

/** The runtime's ports on running engines, as services have them. */
export function connectPorts({ natsUrl, redisUrl, observer, ...nats }: ConnectOptions): Promise<Cluster> {
  return connectCluster(
    { nats: { ...CLUSTER_DEFAULTS, ...nats, servers: natsUrl.split(',') }, redis: { url: redisUrl } },
    { service: 'test', observer },
  );
}
