import { readFileSync } from 'node:fs';
import { create, toBinary } from '@bufbuild/protobuf';
import {
  type Client,
  createClient,
  isHeartbeat,
  nodeTransport,
  type ServerFrame,
  type Transport,
  type TurnStream,
} from '@tandem/client';
import type { Cluster } from '@tandem/cluster';
import { agent, encodeEnvelope } from '@tandem/proto';
import { JournalFeed, PULSE_MS, startCluster } from '@tandem/test-support/cluster';
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

  const slow: TurnStream[] = [];
  let most = 0;
  const began = performance.now();
  await relay(cluster, gateway, async (turn, entry) => {
    for (; entry === 0 && slow.length < SLOW_READERS; ) slow.push(await open(gateway.client, turn));
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
  afterEntry: (turn: JournalFeed, entry: number) => Promise<void>,
): Promise<number> {
  const turn = new JournalFeed(cluster);
  const other = new JournalFeed(cluster);
  const pulses = setInterval(() => {
    for (const feed of [turn, other]) feed.pulse();
  }, PULSE_MS);
  onTestFinished(() => clearInterval(pulses));
  await Promise.all([turn.open(), other.open()]);
  const same = framesOf(await open(gateway.client, turn));
  const neighbour = framesOf(await open(gateway.client, other));
  for (let entry = 0; entry < ENTRIES; entry += 1) {
    const numbers = Array.from({ length: ENTRY_FRAMES }, (_, index) => entry * ENTRY_FRAMES + index);
    await turn.frames(numbers.map((number) => encodeEnvelope(frame(number))));
    await other.frames([encodeEnvelope(frame(entry))]);
    for (const number of numbers) await expectFrame(same, number);
    await expectFrame(neighbour, entry);
    await afterEntry(turn, entry);
  }
  return memoryOf(gateway.pid);
}

async function readAll(stream: TurnStream): Promise<void> {
  const frames = framesOf(stream);
  for (let number = 0; number < ENTRIES * ENTRY_FRAMES; number += 1) await expectFrame(frames, number);
}

async function expectFrame(frames: AsyncGenerator<ServerFrame>, number: number): Promise<void> {
  const { value } = await frames.next();
  if (value?.flags !== 0 || Buffer.compare(value.payload, frame(number)) !== 0)
    throw new Error(`frame ${number} is another`);
}

interface Gateway {
  readonly pid: number;
  readonly client: Client;
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
  const transport = uncompressed(nodeTransport());
  const client = createClient({ baseUrl: node?.url ?? '', apiKey: processes.apiKey, transport });
  onTestFinished(() => transport.close());
  return { gateway: { pid: node?.pid ?? 0, client }, cluster };
}

/** A client that asks for no compression: what is written to it fills its socket. */
function uncompressed(transport: Transport): Transport {
  return {
    request: ({ headers: { 'connect-accept-encoding': _compression, ...headers }, ...request }) =>
      transport.request({ ...request, headers }),
    close: () => transport.close(),
  };
}

/** The frame of this number, some 16 KiB of it. */
function frame(index: number): Uint8Array {
  const text = `${index} `.padEnd(FRAME_BYTES, '.');
  return toBinary(
    agent.AgentServerMessageSchema,
    create(agent.AgentServerMessageSchema, {
      message: { case: 'interactionUpdate', value: { message: { case: 'textDelta', value: { text } } } },
    }),
  );
}

/** Opens a stream that is not read until somebody does: its socket fills up, then the gateway's. */
async function open(client: Client, { requestId }: JournalFeed): Promise<TurnStream> {
  const stream = await client.openTurn({ requestId });
  onTestFinished(() => stream.close());
  await stream.opened;
  return stream;
}

/** Reads a stream frame by frame; heartbeats are passed over. */
async function* framesOf(stream: TurnStream): AsyncGenerator<ServerFrame> {
  for await (const received of stream.events) if (!isHeartbeat(received)) yield received;
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
