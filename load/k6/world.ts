import { type Clock, createClient } from '@tandem/client';
import { Counter, Trend } from 'k6/metrics';
import type { Meter } from '../src/measure/meter.ts';
import type { World } from '../src/scenarios/world.ts';
import { k6Transport } from './transport.ts';

const counts: Readonly<Record<string, Counter>> = {
  turns: new Counter('tandem_turns'),
  failed: new Counter('tandem_turns_failed'),
  lost: new Counter('tandem_words_lost'),
  repeated: new Counter('tandem_words_repeated'),
};
const times: Readonly<Record<string, Trend>> = { turn: new Trend('tandem_turn_time', true) };

/** The scenarios' measures as k6's metrics. */
const meter: Meter = {
  count: (name, by = 1) => counts[name]?.add(by),
  time: (name, ms) => times[name]?.add(ms),
  fault: (what) => console.warn(what),
};

/** k6's timers; one that was cancelled does not keep an iteration from ending. */
const clock: Clock = {
  now: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return { cancel: () => clearTimeout(timer) };
  },
};

const { TANDEM_URL = 'http://127.0.0.1:8787', TANDEM_API_KEY = '', TANDEM_MODEL = 'load' } = __ENV;

const id = () => crypto.randomUUID();

/** What each virtual user has: a client of its own, and k6's metrics. */
export const world: World = {
  client: createClient({
    baseUrl: TANDEM_URL,
    apiKey: TANDEM_API_KEY,
    transport: k6Transport,
    clock,
    entropy: { id, random: Math.random },
    handlers: {},
  }),
  clock,
  now: () => Date.now(),
  id,
  model: TANDEM_MODEL,
  meter,
};
