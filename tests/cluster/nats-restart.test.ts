import { randomUUID } from 'node:crypto';
import {
  appendMessage,
  follow,
  journalSubject,
  LogUnavailable,
  pulseSubject,
  systemClock,
  turnKey,
} from '@tandem/actor-core';
import type { Cluster } from '@tandem/cluster';
import { type Engine, startNats } from '@tandem/test-support/engines';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCluster } from './ports.ts';

const one = { set: 'a', index: 0, count: 1 };
const patient = { clock: systemClock, retryForMs: 20_000 };

let nats: Engine;
let writer: Cluster;
let reader: Cluster;
const seen: string[] = [];

beforeAll(async () => {
  nats = await startNats();
  const observer = {
    disconnected: (engine: string) => void seen.push(`${engine} down`),
    reconnected: (engine: string) => void seen.push(`${engine} up`),
  };
  writer = await openCluster({ natsUrl: nats.url });
  reader = await openCluster({ natsUrl: nats.url, observer });
});

afterAll(async () => {
  await writer.close();
  await reader.close();
  await nats.stop();
});

test('a killed server is told at once, and everything goes on when it is back', async () => {
  const key = turnKey(randomUUID(), randomUUID());
  const subject = journalSubject(key);
  const got: string[] = [];
  const follower = follow({ log: reader.log, clock: systemClock }, subject, 0, {
    message: (message) => void got.push(Buffer.from(message.payload).toString()),
  });
  const heard: string[] = [];
  reader.signals.subscribe(pulseSubject(key), (payload) => void heard.push(Buffer.from(payload).toString()));
  await writer.log.append(subject, one, Buffer.from('before'));
  await expect.poll(() => got).toEqual(['before']);

  await nats.kill();
  await expect.poll(() => reader.signals.connected).toBe(false);
  const started = Date.now();
  for (const call of [
    () => reader.log.append(subject, one, Buffer.from('lost')),
    () => reader.log.last(subject),
    () => reader.log.read(subject, 0, 10),
    () => reader.log.subscribe(subject, { record() {}, interrupted() {} }),
    () => reader.log.purge(subject, 0),
  ]) {
    await expect(call()).rejects.toThrow(LogUnavailable);
  }
  expect(Date.now() - started).toBeLessThan(500);

  const meanwhile = appendMessage(writer.log, subject, 'b', Buffer.from('meanwhile'), patient);
  await nats.restart();
  await meanwhile;
  await appendMessage(writer.log, subject, 'c', Buffer.from('after'), patient);
  await expect.poll(() => got, { timeout: 10_000 }).toEqual(['before', 'meanwhile', 'after']);
  expect(seen).toEqual(['nats down', 'nats up']);
  await expect
    .poll(
      () => {
        writer.signals.publish(pulseSubject(key), Buffer.from('pulse'));
        return heard.length;
      },
      { timeout: 10_000 },
    )
    .toBeGreaterThan(0);
  follower.close();
});

test('an append in flight fails when the connection breaks, and not much later', async () => {
  await expect.poll(() => reader.signals.connected, { timeout: 10_000 }).toBe(true);
  const subject = journalSubject(turnKey(randomUUID(), randomUUID()));
  await nats.kill('SIGSTOP');
  const started = Date.now();
  const append = reader.log.append(subject, one, Buffer.from('x')).catch((error) => error);
  await nats.kill();
  expect(await append).toBeInstanceOf(LogUnavailable);
  expect(Date.now() - started).toBeLessThan(2000);
  await nats.restart();
  await appendMessage(reader.log, subject, 'b', Buffer.from('y'), patient);
});

test('readiness is a write to every stream', async () => {
  await Promise.all(reader.checks.map(({ check }) => check()));
  await nats.kill();
  const check = reader.checks.find(({ name }) => name === 'nats');
  await expect(check?.check()).rejects.toThrow(LogUnavailable);
  await nats.restart();
  await expect
    .poll(
      () =>
        check?.check().then(
          () => 'ready',
          () => 'not yet',
        ),
      { timeout: 10_000 },
    )
    .toBe('ready');
});
