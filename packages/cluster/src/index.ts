export { ClusterUnsuitable, EngineUnavailable } from './cluster-errors.ts';
export { CLUSTER_DEFAULTS, type ClusterConfig, type NatsConfig, type RedisConfig } from './config.ts';
export { clusterConfigOf, clusterConfigShape } from './config-shape.ts';
export { type Cluster, type ConnectOptions, connectCluster, type HealthCheck } from './connect-cluster.ts';
export type { BullQueueOptions } from './dispatch/bull-queue.ts';
export { engineObserver } from './engine-metrics.ts';
export type { ClusterObserver, Engine } from './observer.ts';
export { openUsage } from './redis/redis-usage.ts';
