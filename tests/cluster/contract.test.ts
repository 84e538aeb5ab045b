import {
  dispatchContract,
  leasesContract,
  logContract,
  retentionContract,
  signalsContract,
  usageContract,
} from '@tandem/actor-core/contract';
import { Redis } from 'ioredis';
import { inject } from 'vitest';
import { openCluster } from './ports.ts';

logContract('NATS', async () => {
  const cluster = await openCluster();
  return { port: cluster.log, close: cluster.close };
});

signalsContract('NATS', async () => {
  const cluster = await openCluster();
  return { port: cluster.signals, close: cluster.close };
});

leasesContract('Redis', async () => {
  const cluster = await openCluster();
  return { port: cluster.leases, close: cluster.close };
});

usageContract('Redis', async () => {
  const cluster = await openCluster();
  return { port: cluster.usage, close: cluster.close };
});

dispatchContract('BullMQ', async () => {
  await forgetJobs();
  const cluster = await openCluster();
  const queue = () => cluster.queue({ concurrency: 100 });
  return { port: { dispatcher: cluster.dispatcher, queue }, close: cluster.close };
});

retentionContract('BullMQ', async () => {
  const cluster = await openCluster();
  cluster.runRetention();
  return { port: cluster, close: cluster.close };
});

/** What other tests left in the shared queue. */
async function forgetJobs(): Promise<void> {
  const redis = new Redis(inject('redisUrl'));
  const keys = await redis.keys('tandem:turns:*');
  if (keys.length > 0) await redis.del(...keys);
  await redis.quit();
}
