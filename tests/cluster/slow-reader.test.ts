import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import http, { type IncomingMessage } from 'node:http';
import { create, toBinary } from '@bufbuild/protobuf';
import { journalSubject, pulseSubject, turnKey } from '@tandem/actor-core';
import type { Cluster } from '@tandem/cluster';
import { agent, aiserver, EnvelopeDecoder, encodeEnvelope, tandem } from '@tandem/proto';
import { startCluster } from '@tandem/test-support/cluster';
import { expect, onTestFinished, test } from 'vitest';

const MiB = 1024 * 1024;
const FRAME_BYTES = 16 * 1024;
const ENTRY_FRAMES = 4;
/** 50 MiB of frames… */
const ENTRIES = (50 * MiB) / (FRAME_BYTES * ENTRY_FRAMES);
/** …over 20 s. */
const PACE_MS = 20_000 / ENTRIES;
const SLOW_READERS = 4;
/**
 * What a gateway may grow by that holds four readers back, beyond what it takes to relay the same frames to readers that
 * keep up. Holding their frames would take 200 MiB; what is seen is 3 to 60, by when node happens to collect its garbage.
 */
const BOUND = 100 * MiB;

test('readers that stop reading cost the gateway no memory, hold up nobody, and get everything later', async () => {
  const { gateway, cluster } = await start();
  const before = await relay(cluster, gateway, () => Promise.resolve());

  const slow: IncomingMessage[] = [];
  let most = 0;
  const began = performance.now();
  await relay(cluster, gateway, async (turn, entry) => {
    for (; entry === 0 && slow.length < SLOW_READERS; ) slow.push(await open(gateway, turn));
    most = Math.max(most, memoryOf(gateway.pid));
    await until(began + (entry + 1) * PACE_MS);
  });
  expect((most - before) / MiB).toBeLessThan(BOUND / MiB);

  await Promise.all(slow.map(readAll));
  expect((memoryOf(gateway.pid) - before) / MiB).toBeLessThan(BOUND / MiB);
}, 120_000);

/**
 * Writes all entries of a turn, and as many of another one's; readers of both get theirs before anything more is written.
 * @returns the gateway's memory at the end, bytes
 */
async function relay(
  cluster: Cluster,
  gateway: Gateway,
  afterEntry: (turn: Turn, entry: number) => Promise<void>,
): Promise<number> {
  const turn = new Turn(cluster, gateway.ownerId);
  const other = new Turn(cluster, gateway.ownerId);
  await Promise.all([turn.open(), other.open()]);
  const same = framesOf(await open(gateway, turn));
  const neighbour = framesOf(await open(gateway, other));
  for (let entry = 0; entry < ENTRIES; entry += 1) {
    const numbers = Array.from({ length: ENTRY_FRAMES }, (_, index) => entry * ENTRY_FRAMES + index);
    await turn.write(numbers.map(frame));
    await other.write([frame(entry)]);
    for (const number of numbers) await expectFrame(same, number);
    await expectFrame(neighbour, entry);
    await afterEntry(turn, entry);
  }
  return memoryOf(gateway.pid);
}

async function readAll(response: IncomingMessage): Promise<void> {
  const frames = framesOf(response);
  for (let number = 0; number < ENTRIES * ENTRY_FRAMES; number += 1) await expectFrame(frames, number);
}

async function expectFrame(frames: AsyncGenerator<Uint8Array>, number: number): Promise<void> {
  const { value } = await frames.next();
  if (!value || Buffer.compare(value, frame(number)) !== 0) throw new Error(`frame ${number} is another`);
}

interface Gateway {
  readonly url: string;
  readonly pid: number;
  readonly apiKey: string;
  readonly ownerId: string;
}

async function start(): Promise<{ gateway: Gateway; cluster: Cluster }> {
  const processes = await startCluster({
    gateways: 1,
    workers: 0,
    env: { TANDEM_STREAM_MAX_SIZE: '256MiB' },
  });
  onTestFinished(() => processes[Symbol.asyncDispose]());
  const cluster = await processes.connect({ maxBytesPerStream: 256 * MiB });
  const [node] = processes.gateways;
  const { apiKey, ownerId } = processes;
  return { gateway: { url: node?.url ?? '', pid: node?.pid ?? 0, apiKey, ownerId }, cluster };
}

/** Stands in for the actor of a turn: writes its journal, and pulses. */
class Turn {
  readonly requestId = randomUUID();
  readonly #cluster: Cluster;
  readonly #subject: string;
  #sequence = 0;
  #number = 0;

  constructor(cluster: Cluster, ownerId: string) {
    const key = turnKey(ownerId, this.requestId);
    this.#cluster = cluster;
    this.#subject = journalSubject(key);
    const pulses = setInterval(() => {
      const pulse = create(tandem.PulseSchema, { generation: 1n, lastSequence: BigInt(this.#sequence) });
      cluster.signals.publish(pulseSubject(key), toBinary(tandem.PulseSchema, pulse));
    }, 2000);
    onTestFinished(() => clearInterval(pulses));
  }

  open(): Promise<void> {
    const value = create(tandem.OpenedSchema, { requestId: this.requestId, commandSet: 'test' });
    return this.#append([create(tandem.ItemSchema, { kind: { case: 'opened', value } })]);
  }

  write(frames: readonly Uint8Array[]): Promise<void> {
    return this.#append(frames.map((value) => create(tandem.ItemSchema, { kind: { case: 'frame', value } })));
  }

  async #append(items: tandem.Item[]): Promise<void> {
    this.#number += 1;
    const entry = create(tandem.EntrySchema, {
      generation: 1n,
      epoch: 1n,
      number: BigInt(this.#number),
      items,
    });
    const part = { set: `1.${this.#number}`, index: 0, count: 1 };
    const { sequence } = await this.#cluster.log.append(
      this.#subject,
      part,
      toBinary(tandem.EntrySchema, entry),
      { expectedLast: this.#sequence },
    );
    this.#sequence = sequence;
  }
}

/** The frame of this number, some 16 KiB of it. */
function frame(index: number): Uint8Array {
  const message = create(agent.AgentServerMessageSchema, {
    message: {
      case: 'interactionUpdate',
      value: { message: { case: 'textDelta', value: { text: `${index} `.padEnd(FRAME_BYTES, '.') } } },
    },
  });
  return encodeEnvelope(toBinary(agent.AgentServerMessageSchema, message));
}

/** Opens a stream that is not read until somebody does: its socket fills up, then the gateway's. */
function open({ url, apiKey }: Gateway, { requestId }: Turn): Promise<IncomingMessage> {
  const id = create(aiserver.BidiRequestIdSchema, { requestId });
  const request = http.request(`${url}/agent.v1.AgentService/RunSSE`, {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/connect+proto' },
  });
  request.end(encodeEnvelope(toBinary(aiserver.BidiRequestIdSchema, id)));
  onTestFinished(() => void request.destroy());
  return new Promise((resolve, reject) => {
    request.once('error', reject);
    request.once('response', (response) => {
      request.on('error', () => {});
      response.on('error', () => {});
      if (response.statusCode === 200) resolve(response);
      else reject(new Error(`HTTP ${response.statusCode}`));
    });
  });
}

/** Reads a stream frame by frame; heartbeats, which are small, are passed over. */
async function* framesOf(response: IncomingMessage): AsyncGenerator<Uint8Array> {
  const decoder = new EnvelopeDecoder({ maxMessageBytes: MiB });
  for await (const chunk of response) {
    for (const { payload, flags } of decoder.push(chunk as Buffer)) {
      if (payload.length >= FRAME_BYTES) yield encodeEnvelope(payload, { flags });
    }
  }
}

/** Resident memory, bytes. */
function memoryOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

/** Keeps the producer's pace. */
async function until(at: number): Promise<void> {
  const ms = at - performance.now();
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}
