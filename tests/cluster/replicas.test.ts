import { randomUUID } from 'node:crypto';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { appendMessage, follow, journalSubject, systemClock, turnKey } from '@tandem/actor-core';
import { logContract } from '@tandem/actor-core/contract';
import { type NatsCluster, startNatsCluster } from '@tandem/test-support/engines';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCluster } from './ports.ts';

let nats: NatsCluster;

beforeAll(async () => {
  nats = await startNatsCluster(3);
});
afterAll(() => nats.stop());

logContract('NATS with 3 replicas', async () => {
  const cluster = await openCluster({ natsUrl: nats.url, replicas: 3 });
  return { port: cluster.log, close: cluster.close };
});

test('a log outlives the leader of its stream, and a follower misses nothing', async () => {
  const writer = await openCluster({ natsUrl: nats.url, replicas: 3 });
  const reader = await openCluster({ natsUrl: nats.url, replicas: 3 });
  const subject = journalSubject(turnKey(randomUUID(), randomUUID()));
  const wanted = Array.from({ length: 300 }, (_, number) => `${number}`);
  const got: string[] = [];
  const follower = follow({ log: reader.log, clock: systemClock }, subject, 0, {
    message: (message) => void got.push(Buffer.from(message.payload).toString()),
  });
  for (const text of wanted) {
    if (text === '100') await killLeader();
    const set = randomUUID();
    await appendMessage(writer.log, subject, set, Buffer.from(text), {
      clock: systemClock,
      retryForMs: 30_000,
    });
  }
  await follower.verify();
  // What was sent twice because its fate was unknown may be there twice, next to itself.
  expect(got.filter((text, index) => text !== got[index - 1])).toEqual(wanted);
  const stored = [];
  for (let after = 0; ; after = stored.at(-1)?.sequence ?? 0) {
    const page = await reader.log.read(subject, after, 100);
    stored.push(...page);
    if (page.length === 0) break;
  }
  expect(got).toEqual(stored.map((record) => Buffer.from(record.payload).toString()));
  follower.close();
  await writer.close();
  await reader.close();
});

async function killLeader(): Promise<void> {
  const connection = await connect({ servers: nats.url.split(',') });
  const { cluster } = await (await jetstreamManager(connection)).streams.info('TANDEM_EVT_0');
  await connection.close();
  for (const node of nats.nodes) {
    const probe = await connect({ servers: node.url });
    const name = probe.info?.server_name;
    await probe.close();
    if (name === cluster?.leader) return node.kill();
  }
  throw new Error('no node is the leader');
}
