export { ClusterUnsuitable, EngineUnavailable } from './cluster-errors.ts';
export { CLUSTER_DEFAULTS, type ClusterConfig, type NatsConfig, type RedisConfig } from './config.ts';
export { type Cluster, type ConnectOptions, connectCluster, type HealthCheck } from './connect-cluster.ts';
export type { BullQueueOptions } from './dispatch/bull-queue.ts';
export type { ClusterObserver, Engine } from './observer.ts';
