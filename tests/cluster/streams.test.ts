import { randomUUID } from 'node:crypto';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { journalSubject, LogFull, turnKey } from '@tandem/actor-core';
import { ClusterUnsuitable } from '@tandem/cluster';
import { type Engine, startNats } from '@tandem/test-support/engines';
import { afterAll, beforeAll, describe, expect, inject, it, test } from 'vitest';
import { openCluster } from './ports.ts';

const one = { set: 'a', index: 0, count: 1 };

describe('on a server of its own', () => {
  let nats: Engine;

  beforeAll(async () => {
    nats = await startNats();
  });
  afterAll(() => nats.stop());

  it('refuses a number of stream pairs other than the stored one', async () => {
    const first = await openCluster({ natsUrl: nats.url, streamPairs: 3 });
    await first.close();
    for (const streamPairs of [1, 2, 4]) {
      await expect(openCluster({ natsUrl: nats.url, streamPairs })).rejects.toThrow(ClusterUnsuitable);
    }
    const again = await openCluster({ natsUrl: nats.url, streamPairs: 3 });
    for (let number = 0; number < 30; number++) {
      const subject = journalSubject(turnKey(randomUUID(), randomUUID()));
      await again.log.append(subject, one, Buffer.from('x'));
      expect(await again.log.read(subject, 0, 10)).toHaveLength(1);
    }
    await again.close();
  });

  it('brings limits up to date, and says when a stream is full', async () => {
    const maxBytesPerStream = 2 * 1024 * 1024;
    const levels = new Map<string, number>();
    const observer = { fullness: (stream: string, level: number) => void levels.set(stream, level) };
    const first = await openCluster({ natsUrl: nats.url, streamPairs: 3, maxBytesPerStream });
    const subject = journalSubject(turnKey('owner', 'turn'));
    await first.log.append(subject, one, Buffer.alloc(900_000));
    await first.log.append(subject, one, Buffer.alloc(900_000));
    await expect(first.log.append(subject, one, Buffer.alloc(900_000))).rejects.toThrow(LogFull);
    await first.close();
    const second = await openCluster({ natsUrl: nats.url, streamPairs: 3, maxBytesPerStream, observer });
    expect(second.log.fullness(subject)).toBeGreaterThan(0.8);
    expect(Math.max(...levels.values())).toBe(second.log.fullness(subject));
    await second.close();
  });
});

test('services that start at the same time agree on the streams', async () => {
  const nats = await startNats();
  const clusters = await Promise.all(Array.from({ length: 4 }, () => openCluster({ natsUrl: nats.url })));
  await Promise.all(clusters.map((cluster) => cluster.close()));
  await nats.stop();
});

test('checks and probes leave no record behind', async () => {
  const cluster = await openCluster();
  await Promise.all(cluster.checks.map(({ check }) => check()));
  await cluster.close();
  const connection = await connect({ servers: inject('natsUrl') });
  const manager = await jetstreamManager(connection);
  for (const name of ['TANDEM_CMD_0', 'TANDEM_EVT_0']) {
    const { state } = await manager.streams.info(name, { subjects_filter: '*.*.~*.>' });
    expect(state.subjects ?? {}).toEqual({});
    const probes = await manager.streams.info(name, { subjects_filter: '>' });
    expect(Object.keys(probes.state.subjects ?? {}).filter((subject) => subject.includes('~'))).toEqual([]);
  }
  await connection.close();
});
