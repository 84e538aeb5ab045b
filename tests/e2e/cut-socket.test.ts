import type { agent } from '@tandem/proto';
import { until } from '@tandem/test-support/cluster';
import type { Step } from '@tandem/test-support/provider';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CutStream } from './harness/cut-stream.ts';
import { type CuttingProxy, startCuttingProxy } from './harness/cutting-proxy.ts';
import { saidLast } from './harness/said.ts';
import { type Sdk, startSdk } from './harness/sdk.ts';
import type { SdkTurn } from './harness/sdk-messages.ts';
import { type System, startSystem } from './harness/system.ts';

/** Where a socket is cut: behind the frame of this kind with this number (from 1), of those in the same part of the turn. */
interface Point {
  /** `closing` is all that comes behind the last text. */
  readonly part: 'opening' | 'closing';
  readonly kind: string;
  readonly number: number;
}

const THOUGHTS = ['What ', 'was ', 'asked?'];
const TEXTS = ['one ', 'two ', 'three ', 'four ', 'five ', 'six.'];
const TEXT = TEXTS.join('');
const CHECKPOINT = 'conversationCheckpointUpdate';

const POINTS: readonly Point[] = [
  ...at('opening', 'requestContextArgs', 1),
  ...at('opening', 'setBlobArgs', 1, 2, 3),
  ...at('opening', 'stepStarted', 1),
  ...at('opening', CHECKPOINT, 1),
  ...at('opening', 'thinkingDelta', 1, 2, 3),
  ...at('opening', 'thinkingCompleted', 1),
  ...at('opening', 'textDelta', 1, 2, 3, 5, 6),
  ...at('closing', 'setBlobArgs', 1, 2, 4),
  ...at('closing', 'turnEnded', 1),
  ...at('closing', CHECKPOINT, 1),
];

let system: System;
let proxy: CuttingProxy;
let sdk: Sdk;

beforeAll(async () => {
  system = await startSystem({ gateways: 4, workers: 1, env: { TANDEM_TRUSTED_PROXY: 'true' } });
  const { cluster, provider } = system;
  provider.script('scripted', (request) => ({ steps: answerTo(saidLast(request)) }));
  const gateways = cluster.gateways.map(({ url }) => url);
  proxy = await startCuttingProxy(gateways, (said, { number, frames }) => {
    if (kindOf(frames.at(-1)) === CHECKPOINT) provider.release(opened(said));
    return number === 1 && isAt(pointIn(said), frames);
  });
  sdk = await startSdk({ url: proxy.url, apiKey: cluster.apiKey });
});

afterAll(async () => {
  await sdk?.[Symbol.asyncDispose]();
  await proxy?.[Symbol.asyncDispose]();
  await system?.[Symbol.asyncDispose]();
});

test('a gateway that is told to stop cuts turns at 20 points: each goes on as if nothing had happened', async () => {
  const uncut = await hold('uncut');
  expect(uncut).toMatchObject({ status: 'finished', result: TEXT, shown: TEXT });
  const turns = await holdAll('SIGTERM', async (streams) => {
    proxy.serveBy(1);
    const [gateway] = system.cluster.gateways;
    expect(await gateway?.stop()).toBe(0);
    expect(gateway?.output()).not.toMatch(/failed|lost/i);
    for (const stream of streams) stream.release();
  });
  // Three had ended before the gateway did, and their clients got it all with the end of the stream.
  expectAttempts(turns, { once: 3 });
  for (const { point, turn } of turns) {
    const { status, result, shown, usage } = turn;
    expect({ point, status, result, shown, usage }).toEqual({
      point,
      status: 'finished',
      result: TEXT,
      shown: TEXT,
      usage: uncut.usage,
    });
  }
});

test('a gateway that is killed cuts turns at 20 points: at most what the client had not confirmed is repeated', async () => {
  proxy.serveBy(2);
  const turns = await holdAll('SIGKILL', async (streams) => {
    proxy.serveBy(3);
    await system.cluster.gateways[2]?.kill();
    for (const stream of streams) stream.reset();
  });
  // With the last checkpoint a turn is done.
  expectAttempts(turns, { once: 1 });
  for (const turn of turns) expectTailAtMost(turn);
});

test('a proxy that resets connections does the same', async () => {
  proxy.serveBy(1);
  const turns = await holdAll('reset', async (streams) => {
    for (const stream of streams) stream.reset();
  });
  // With the last checkpoint a turn is done.
  expectAttempts(turns, { once: 1 });
  for (const turn of turns) expectTailAtMost(turn);
});

/** All but some turns took two attempts. */
function expectAttempts(turns: readonly HeldTurn[], { once }: { once: number }): void {
  const attempts = turns.map((turn) => turn.attempts);
  expect(attempts.filter((count) => count === 1)).toHaveLength(once);
  expect(attempts.filter((count) => count === 2)).toHaveLength(POINTS.length - once);
}

/** What the client shows is the uncut text, but for one stretch: what it had behind its last confirmation comes twice. */
function expectTailAtMost({ point, turn, had, confirmed }: HeldTurn): void {
  const { status, result, shown } = turn;
  expect({ point, status, result, shown }).toEqual({
    point,
    status: 'finished',
    result: TEXT,
    shown: had + TEXT.slice(confirmed.length),
  });
}

interface HeldTurn {
  readonly point: string;
  readonly turn: SdkTurn;
  readonly attempts: number;
  /** The text that the client had when its socket was cut. */
  readonly had: string;
  /** What of it stands before a frame that it had answered, or before a checkpoint, which it sends back. */
  readonly confirmed: string;
}

/** Holds a turn for each point, has all of them come to their points, and cuts their sockets there. */
async function holdAll(
  by: string,
  cut: (streams: readonly CutStream[]) => Promise<void>,
): Promise<HeldTurn[]> {
  const names = POINTS.map((point) => `${by} behind ${nameOf(point)}`);
  const turns = names.map(hold);
  const streams = await Promise.all(names.map((name) => proxy.stream(name, 1)));
  await Promise.all(streams.map(({ held }) => held));
  await until('all that clients were asked is answered', async () =>
    streams.every(({ turn, frames }) => answersOf(turn) === frames.filter(asks).length),
  );
  const had = streams.map(({ frames }) => textOf(frames));
  const confirmed = streams.map(({ frames }) => textOf(frames.slice(0, frames.findLastIndex(marks))));
  await cut(streams);
  await Promise.all(names.map(goOn));
  return (await Promise.all(turns)).map((turn, index) => ({
    point: names[index] ?? '',
    turn,
    attempts: proxy.streamsOf(names[index] ?? '').length,
    had: had[index] ?? '',
    confirmed: confirmed[index] ?? '',
  }));
}

/** Of the models that stand still, every other goes on while its client is away, the others only when it is back. */
async function goOn(name: string, index: number): Promise<void> {
  if (pointIn(name)?.kind.endsWith('Delta') && index % 2 === 1) await proxy.stream(name, 2);
  system.provider.release(name);
}

async function hold(name: string): Promise<SdkTurn> {
  const conversation = await sdk.create({ model: 'scripted' });
  const turn = await conversation.say(name);
  const calls = system.provider.requests.filter((request) => saidLast(request) === name);
  expect({ name, calls: calls.length }).toEqual({ name, calls: 1 });
  return turn;
}

/** The model's answer, which stands still where the socket is to be cut. */
function answerTo(said: string): Step[] {
  const point = pointIn(said);
  const steps: Step[] = [
    { type: 'usage', input: 100, output: 10 },
    { type: 'hold', name: opened(said) },
  ];
  const say = (type: 'reasoning' | 'text', kind: string, texts: readonly string[]) => {
    for (const [index, text] of texts.entries()) {
      steps.push({ type, text });
      if (point?.kind === kind && point.number === index + 1) steps.push({ type: 'hold', name: said });
    }
  };
  say('reasoning', 'thinkingDelta', THOUGHTS);
  say('text', 'textDelta', TEXTS);
  return steps;
}

/** The gate before the first word, open once the client has the checkpoint that comes before the answer. */
function opened(said: string): string {
  return `${said}, opened`;
}

function at(part: Point['part'], kind: string, ...numbers: number[]): Point[] {
  return numbers.map((number) => ({ part, kind, number }));
}

function nameOf({ part, kind, number }: Point): string {
  return `${part} ${kind} ${number}`;
}

function pointIn(said: string): Point | undefined {
  return POINTS.find((point) => said.endsWith(nameOf(point)));
}

function isAt(point: Point | undefined, frames: readonly agent.AgentServerMessage[]): boolean {
  if (!point || kindOf(frames.at(-1)) !== point.kind) return false;
  const kinds = frames.map((frame) => kindOf(frame));
  const closing = textOf(frames) === TEXT ? kinds.lastIndexOf('textDelta') + 1 : kinds.length;
  const part = point.part === 'closing' ? kinds.slice(closing) : kinds;
  return part.filter((kind) => kind === point.kind).length === point.number;
}

/** The name of a frame's innermost choice. */
function kindOf(frame: agent.AgentServerMessage | undefined): string | undefined {
  const message = frame?.message;
  switch (message?.case) {
    case 'interactionUpdate':
    case 'kvServerMessage':
    case 'execServerMessage':
      return message.value.message.case;
    default:
      return message?.case;
  }
}

function asks({ message }: agent.AgentServerMessage): boolean {
  return message.case === 'kvServerMessage' || message.case === 'execServerMessage';
}

/** Shows what its client has, once answered or sent back. */
function marks(frame: agent.AgentServerMessage): boolean {
  return asks(frame) || frame.message.case === 'conversationCheckpointUpdate';
}

function answersOf(turn: string): number {
  return proxy.appends.filter(
    ({ turn: of, message, status }) =>
      of === turn &&
      status === 200 &&
      (message.case === 'kvClientMessage' || message.case === 'execClientMessage'),
  ).length;
}

function textOf(frames: readonly agent.AgentServerMessage[]): string {
  return frames
    .map(({ message }) => (message.case === 'interactionUpdate' ? message.value.message : undefined))
    .map((update) => (update?.case === 'textDelta' ? update.value.text : ''))
    .join('');
}
