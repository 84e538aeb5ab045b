export type { Engine } from './engine.ts';
export { makeFolder, removeFolder } from './folder.ts';
export { guard, release } from './guard.ts';
export { type NatsOptions, startNats } from './nats.ts';
export { type NatsCluster, startNatsCluster } from './nats-cluster.ts';
export { type RedisOptions, startRedis } from './redis.ts';
