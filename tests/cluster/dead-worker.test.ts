import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { turnKey } from '@tandem/actor-core';
import { startWorker } from '@tandem/actor-core/contract';
import { expect, inject, onTestFinished, test } from 'vitest';
import { startRedis } from '../engines/index.ts';
import { openCluster } from './ports.ts';

test('the job of a killed worker is handed on within 10 s, however often that happens', async () => {
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  const cluster = await openCluster({ redisUrl: redis.url });
  onTestFinished(() => cluster.close());
  const key = turnKey('owner', randomUUID());
  await cluster.dispatcher.dispatch(key);

  let next = startProcess(redis.url);
  for (let deaths = 0; deaths < 2; deaths++) {
    const worker = next;
    await worker.said(`begun ${key.turn}`);
    next = startProcess(redis.url);
    await next.said('ready');
    worker.child.kill('SIGKILL');
    await once(worker.child, 'exit');
    const died = performance.now();
    await next.said(`begun ${key.turn}`);
    expect(performance.now() - died).toBeLessThan(10_000);
    expect(await cluster.dispatcher.place(key)).toBe('active');
  }
  next.child.kill('SIGKILL');
  const last = await startWorker(cluster.queue({ concurrency: 1 }), () => 'done');
  await expect.poll(() => cluster.dispatcher.place(key), { timeout: 10_000 }).toBe('absent');
  expect(last.begun).toEqual([key]);
});

function startProcess(redisUrl: string): { child: ChildProcess; said(line: string): Promise<void> } {
  const program = join(import.meta.dirname, 'worker-process.ts');
  const child = spawn(process.execPath, [program, '--nats', inject('natsUrl'), '--redis', redisUrl], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  return {
    child,
    said: async (line) => {
      await expect.poll(() => lines, { timeout: 20_000 }).toContain(line);
    },
  };
}
