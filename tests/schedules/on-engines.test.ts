import { systemClock, systemEntropy } from '@tandem/actor-core';
import type { Cluster } from '@tandem/cluster';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCluster } from '../cluster/ports.ts';
import { everything, play, startEchoWorker } from './play.ts';
import { schedules } from './schedule.ts';

let clusters: Cluster[];
let worker: { drain(): Promise<void> };

beforeAll(async () => {
  clusters = [await openCluster(), await openCluster(), await openCluster()];
  const [host] = clusters as [Cluster];
  worker = await startEchoWorker({
    ...portsOf(host),
    leases: host.leases,
    retention: host.retention,
    queue: host.queue({ concurrency: 100 }),
  });
});

afterAll(async () => {
  await worker.drain();
  for (const cluster of clusters) await cluster.close();
});

function portsOf({ log, signals, dispatcher }: Cluster) {
  return { log, signals, dispatcher, clock: systemClock, entropy: systemEntropy };
}

test('inbox and reader: 50 schedules of appends and readers, on the engines', {
  timeout: 300_000,
}, async () => {
  const gateways = clusters.slice(1).map(portsOf);
  await fc.assert(
    fc.asyncProperty(schedules, async (schedule) => {
      const shown = await play(schedule, gateways, 'alice', systemEntropy.id());
      for (const one of shown) expect(one).toEqual(everything(schedule));
    }),
    { numRuns: 50, seed: 2, endOnFailure: true },
  );
});
