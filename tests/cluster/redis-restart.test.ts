import { randomUUID } from 'node:crypto';
import { type TurnKey, turnKey } from '@tandem/actor-core';
import { startWorker, type TestWorker } from '@tandem/actor-core/contract';
import { type Cluster, EngineUnavailable } from '@tandem/cluster';
import { type Engine, startRedis } from '@tandem/test-support/engines';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCluster } from './ports.ts';

const WAIT = { timeout: 15_000 };

let redis: Engine;
let cluster: Cluster;
const seen: string[] = [];

beforeAll(async () => {
  redis = await startRedis();
  const observer = {
    disconnected: (engine: string) => void seen.push(`${engine} down`),
    reconnected: (engine: string) => void seen.push(`${engine} up`),
  };
  cluster = await openCluster({ redisUrl: redis.url, observer });
});

afterAll(async () => {
  await cluster.close();
  await redis.stop();
});

test.each(['SIGKILL', 'SIGSTOP'] as const)(
  '%s: no call hangs, and leases and jobs go on afterwards',
  async (signal) => {
    seen.length = 0;
    const worker = await startWorker(cluster.queue({ concurrency: 10 }));
    const [first, second] = [turnKey(randomUUID(), 'first'), turnKey(randomUUID(), 'second')];
    await cluster.dispatcher.dispatch(first);
    await expect.poll(() => worker.begun, WAIT).toEqual([first]);
    const lease = randomUUID();
    await cluster.leases.acquire(lease, 'a', 60_000);

    await redis.kill(signal);
    const started = Date.now();
    const calls = [
      cluster.leases.acquire(lease, 'a', 1000),
      cluster.leases.renew([lease], 'a', 1000),
      cluster.dispatcher.dispatch(second),
      cluster.dispatcher.place(first),
      cluster.retention.schedule(first, { journal: 0, commands: 0 }, 0),
      cluster.checks.find(({ name }) => name === 'redis')?.check(),
    ];
    const results = await Promise.allSettled(calls);
    for (const result of results) {
      expect(result).toMatchObject({ status: 'rejected', reason: expect.any(EngineUnavailable) });
    }
    expect(Date.now() - started).toBeLessThan(4000);

    await redis.restart();
    await expect
      .poll(() => cluster.leases.renew([lease], 'a', 60_000).catch(() => 'down'), WAIT)
      .toEqual(new Map([[lease, 'held']]));
    await cluster.dispatcher.dispatch(second);
    await expect.poll(() => worker.begun.some(({ turn }) => turn === 'second'), WAIT).toBe(true);
    // The first one's lock may have expired meanwhile: then it was handed out again.
    await expect.poll(() => finished(worker, first), WAIT).toBe(true);
    await expect.poll(() => finished(worker, second), WAIT).toBe(true);
    expect(seen).toEqual(['redis down', 'redis up']);
    await worker.queue.close();
  },
);

async function finished(worker: TestWorker, key: TurnKey): Promise<boolean> {
  worker.finish(key, 'done');
  return (await cluster.dispatcher.place(key)) === 'absent';
}
