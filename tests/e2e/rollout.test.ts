import { type Client, createClient, type TurnResult } from '@tandem/client';
import type { Cluster } from '@tandem/cluster';
import {
  type ProcessCluster,
  type RoundRobinProxy,
  rollOut,
  startCluster,
  startRoundRobinProxy,
} from '@tandem/test-support/cluster';
import type { Reply, Step } from '@tandem/test-support/provider';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { framesOf, journalFrames } from './harness/frames.ts';

const WORDS = 120;
const PACE_MS = 50;
/** Between the beginnings of two turns: some are always at their beginning, their middle and their end. */
const ARRIVAL_MS = 400;
/**
 * A client waits 2 s and a bit before it comes back, and must then be served at once; a worker's end may be waited for
 * besides. Generous: the machine that runs this has other things to do.
 */
const LONGEST_PAUSE_MS = 15_000;

const TEXT = Array.from({ length: WORDS }, (_, index) => `w${index} `).join('');

let cluster: ProcessCluster;
let addresses: string[];
let proxy: RoundRobinProxy;
let client: Client;
let reader: Cluster;

beforeAll(async () => {
  cluster = await startCluster({ gateways: 2, workers: 2, env: { TANDEM_TRUSTED_PROXY: 'true' } });
  cluster.provider.script('scripted', ({ body }) => goOn(JSON.stringify(body.messages)));
  addresses = cluster.gateways.map(({ url }) => url);
  proxy = await startRoundRobinProxy(addresses);
  client = createClient({ baseUrl: proxy.url, apiKey: cluster.apiKey });
  reader = await cluster.connect();
});

afterAll(async () => {
  client?.close();
  await proxy?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

test('every process is replaced while turns run: none fails, no frame is lost or comes twice', async () => {
  const turns: Promise<HeldTurn>[] = [hold(0)];
  const arrivals = setInterval(() => turns.push(hold(turns.length)), ARRIVAL_MS);
  await rollOut(cluster, addresses).finally(() => clearInterval(arrivals));
  const held = await Promise.all(turns);

  for (const { requestId, turn } of held) {
    expect({ requestId, status: turn.status, error: turn.error, text: turn.text }).toEqual({
      requestId,
      status: 'finished',
      error: undefined,
      text: TEXT,
    });
    expect(await shownFrames(turn)).toEqual(await journalFrames(reader.log, cluster.ownerId, requestId));
  }
  expect(proxy.faults).toEqual([]);

  const again = held.filter(({ turn }) => turn.attempts.length > 1);
  // The rollout met turns: what is above says something.
  expect(again.length).toBeGreaterThan(0);
  expect(cluster.provider.requests.length).toBeGreaterThan(held.length);
  const once = held.filter(({ turn }) => turn.attempts.length === 1);
  const [longest, longestOnOneStream] = [held, once].map((list) =>
    Math.max(...list.map(({ pauseMs }) => pauseMs)),
  );
  console.log(
    `${held.length} turns, ${again.length} of them on a second stream: the longest pause of all ${longest} ms, ` +
      `of those that kept their stream ${longestOnOneStream} ms`,
  );
  expect(longest).toBeLessThan(LONGEST_PAUSE_MS);
}, 240_000);

interface HeldTurn {
  readonly requestId: string;
  readonly turn: TurnResult;
  /** The longest time between two pieces of text. */
  readonly pauseMs: number;
}

async function hold(index: number): Promise<HeldTurn> {
  const requestId = `rollout-${index}`;
  let shownAt: number | undefined;
  let pauseMs = 0;
  const turn = await client.runTurn({
    text: 'Count.',
    conversationId: requestId,
    requestId,
    modelId: 'scripted',
    keepFrames: false,
    onFrame: ({ message: { message } }) => {
      if (message.case !== 'interactionUpdate' || message.value.message.case !== 'textDelta') return;
      const now = performance.now();
      pauseMs = Math.max(pauseMs, now - (shownAt ?? now));
      shownAt = now;
    },
  });
  return { requestId, turn, pauseMs: Math.round(pauseMs) };
}

/** All frames that a client was sent over its attempts, in order. */
async function shownFrames(turn: TurnResult): Promise<string[]> {
  const frames: string[] = [];
  for (const { requestId } of turn.attempts) {
    for (const call of proxy.calls) {
      if (call.requestId !== requestId || !call.path.endsWith('/RunSSE') || call.status !== 200) continue;
      await call.whole;
      frames.push(...framesOf(call.answer));
    }
  }
  return frames;
}

/** The words that are missing yet: all of them, or those behind what the server says was shown. */
function goOn(messages: string): Reply {
  const said = [...messages.matchAll(/\bw(\d+) /g)].map(([, index]) => Number(index));
  const first = Math.max(-1, ...said) + 1;
  const steps: Step[] = [];
  for (let index = first; index < WORDS; index += 1) {
    steps.push({ type: 'delay', ms: PACE_MS }, { type: 'text', text: `w${index} ` });
  }
  return { steps };
}
