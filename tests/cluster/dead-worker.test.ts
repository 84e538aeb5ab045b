import { randomUUID } from 'node:crypto';
import { turnKey } from '@tandem/actor-core';
import { startWorker } from '@tandem/actor-core/contract';
import { type Service, startService } from '@tandem/test-support/cluster';
import { startRedis } from '@tandem/test-support/engines';
import { expect, inject, onTestFinished, test } from 'vitest';
import { openCluster } from './ports.ts';

test('the job of a killed worker is handed on within 10 s, however often that happens', async () => {
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  const cluster = await openCluster({ redisUrl: redis.url });
  onTestFinished(() => cluster.close());
  const key = turnKey('owner', randomUUID());
  const begun = new RegExp(`^begun ${key.turn}$`, 'm');
  await cluster.dispatcher.dispatch(key);

  let next = startProcess(redis.url);
  for (let deaths = 0; deaths < 2; deaths++) {
    const worker = next;
    await worker.line(begun);
    next = startProcess(redis.url);
    await next.line(/^ready$/m);
    await worker.kill();
    const died = performance.now();
    await next.line(begun);
    expect(performance.now() - died).toBeLessThan(10_000);
    expect(await cluster.dispatcher.place(key)).toBe('active');
  }
  await next.kill();
  const last = await startWorker(cluster.queue({ concurrency: 1 }), () => 'done');
  await expect.poll(() => cluster.dispatcher.place(key), { timeout: 10_000 }).toBe('absent');
  expect(last.begun).toEqual([key]);
});

function startProcess(redisUrl: string): Service {
  const worker = startService({
    name: 'worker',
    main: 'tests/cluster/worker-process.ts',
    args: ['--nats', inject('natsUrl'), '--redis', redisUrl],
  });
  onTestFinished(() => worker.kill());
  return worker;
}
