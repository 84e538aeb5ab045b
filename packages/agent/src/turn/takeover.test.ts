import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelMessage } from '../model/message.ts';
import type { ModelCall, ModelEvent } from '../model/port.ts';
import { runRequest, TestClient } from '../testing/test-client.ts';
import { TestTurn } from '../testing/test-turn.ts';

const ANSWER = 'The quick brown fox jumps over the lazy dog. '.repeat(2).trim();
const USAGE = {
  inputTokens: 1,
  outputTokens: 1,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};

/** A model that knows one answer, and goes on where the transcript says that it stopped. */
function modelEvents({ messages }: ModelCall): ModelEvent[] {
  // As providers do, it refuses to answer itself.
  if (messages.at(-1)?.role !== 'user') throw new Error('the transcript ends with an answer');
  const asked = messages.findLastIndex(
    (message) =>
      message.role === 'user' &&
      message.content.some((part) => part.type === 'text' && part.text === 'hello'),
  );
  const said = assistantText(messages.slice(asked));
  const chunks = ANSWER.slice(said.length).match(/.{1,9}/gs) ?? [];
  return [
    { type: 'reasoning', text: 'Let me ' },
    { type: 'reasoning', text: 'think.' },
    { type: 'reasoning_end', providerOptions: { test: { signature: 's' } } },
    ...chunks.map((text) => ({ type: 'text', text }) as const),
    { type: 'finish', reason: 'stop', usage: USAGE, deployment: 'd' },
  ];
}

function assistantText(messages: readonly ModelMessage[]): string {
  return messages
    .flatMap((message) => (message.role === 'assistant' ? message.content : []))
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('');
}

/** One turn with its client and its model; `act` does one of the things that may happen next. */
class World {
  readonly turn: TestTurn;
  readonly client = new TestClient();
  readonly calls: ModelCall[] = [];
  readonly cache = new Map<string, Uint8Array>();
  #events: ModelEvent[] = [];
  #call = 0;
  #attempts = 0;

  constructor(key: Uint8Array | undefined) {
    const first = new TestTurn({ key });
    first.command(runRequest('earlier'));
    first.input({ type: 'claimed' });
    this.client.answerAll(first);
    for (const { call, request } of first.take('model_call')) {
      for (const event of modelEvents(request)) first.result({ type: 'model_event', call, event });
    }
    this.client.answerAll(first);
    for (const { blobs } of first.take('cache_blobs')) {
      // What the cache has lost, the client is asked for.
      for (const { id, data } of blobs) if (this.cache.size < 2) this.cache.set(id, data);
    }
    this.client.text = '';
    this.client.turnsEnded = [];
    this.client.readFrom(undefined);
    this.turn = new TestTurn({ requestId: 'r2', key, limits: { blobsAsked: 2 } });
    this.turn.command(runRequest('hello', this.client.checkpoint));
  }

  /** Does the `choice`-th of the things that can happen now, by themselves or by mishap. */
  act(choice: number): boolean {
    this.client.read(this.turn);
    this.#takeEffects();
    const actions = this.#actions();
    if (actions.length === 0) return false;
    actions[choice % actions.length]?.();
    return true;
  }

  takeOver(): void {
    this.#events = [];
    this.turn.takeOver();
  }

  attempt(): void {
    if (this.turn.end) return;
    this.#attempts += 1;
    const { checkpoint } = this.client;
    const known =
      checkpoint &&
      this.turn.frames().some(({ message }) => message.message.case === 'conversationCheckpointUpdate');
    this.turn.attempt(
      known ? runRequest(undefined, checkpoint) : runRequest('hello', checkpoint),
      `r2.${this.#attempts}`,
    );
    const item = this.turn.entries.at(-1)?.items.find(({ kind }) => kind === 'attempt');
    const start = item?.kind === 'attempt' ? item.start : undefined;
    // What lies behind the start counts as never received.
    const reader = new TestClient();
    this.client.text = '';
    for (const { message, at } of this.turn.frames()) {
      if (!start || at.entry > start.entry || (at.entry === start.entry && at.item > start.item)) continue;
      const update = message.message.case === 'interactionUpdate' ? message.message.value.message : undefined;
      if (update?.case === 'textDelta') reader.text += update.value.text;
    }
    this.client.text = reader.text;
    this.client.readFrom(start);
  }

  interrupt(): void {
    if (this.#events.length === 0) return;
    this.#events = [];
    const event: ModelEvent = { type: 'finish', reason: 'interrupted', usage: USAGE, deployment: 'd' };
    this.turn.result({ type: 'model_event', call: this.#call, event });
  }

  #actions(): (() => void)[] {
    const { turn, client } = this;
    const actions = client.answers.map((_, index) => () => client.give(turn, index));
    const event = this.#events[0];
    if (event && !turn.end) {
      actions.push(() => {
        this.#events.shift();
        turn.result({ type: 'model_event', call: this.#call, event });
      });
    }
    for (const effect of turn.effects) {
      const done = () => {
        turn.effects = turn.effects.filter((other) => other !== effect);
      };
      if (effect.type === 'claim_conversation') {
        actions.push(() => {
          done();
          turn.input({ type: 'claimed' });
        });
      } else if (effect.type === 'load_blobs') {
        actions.push(() => {
          done();
          const found = new Map([...this.cache].filter(([id]) => effect.ids.includes(id)));
          turn.result({ type: 'blobs_loaded', found, missing: [] });
        });
      }
    }
    return actions;
  }

  #takeEffects(): void {
    for (const { call, request } of this.turn.take('model_call')) {
      this.calls.push(request);
      this.#call = call;
      this.#events = modelEvents(request);
    }
  }
}

function check(world: World): void {
  const { client, turn, calls } = world;
  expect(turn.end).toMatchObject({ outcome: 'completed' });
  expect(client.text).toBe(ANSWER);
  const transcript = client.transcript();
  expect(assistantText(transcript.slice(3))).toBe(ANSWER);
  expect(client.checkpoint?.turns).toHaveLength(2);
  const shownSteps = client
    .lastTurn()
    .steps.map(({ message }) => (message.case === 'assistantMessage' ? message.value.text : ''));
  expect(shownSteps.join('')).toBe(ANSWER);
  for (const [index, call] of calls.entries()) {
    const next = JSON.stringify(calls[index + 1]?.messages ?? transcript);
    expect(next.startsWith(JSON.stringify(call.messages).slice(0, -1))).toBe(true);
  }
}

describe('a takeover', () => {
  it('at any entry changes nothing for the client', () => {
    const entries = run([], []).turn.entries.length;
    for (let at = 0; at <= entries; at++) check(run([], [{ at, mishap: 'takeOver' }]));
  });

  it('folds to the state that the lost process had', () => {
    const world = new World(undefined);
    for (let round = 0; world.act(0) || round === 0; round++) {
      const { process: _, ...folded } = world.turn.fold();
      const { process: __, ...live } = world.turn.state;
      expect(folded).toEqual(live);
    }
  });
});

type Mishap = 'takeOver' | 'attempt' | 'interrupt';

/** Plays a turn: the choices decide the order of what happens, mishaps come when the journal has so many entries. */
function run(
  choices: readonly number[],
  mishaps: readonly { at: number; mishap: Mishap }[],
  key?: Uint8Array,
): World {
  const world = new World(key);
  const due = [...mishaps].sort((a, b) => a.at - b.at);
  for (let round = 0; round < 2000; round++) {
    for (let next = due[0]; next && next.at <= world.turn.entries.length; next = due[0]) {
      due.shift();
      world.client.read(world.turn);
      if (!world.turn.end) world[next.mishap]();
    }
    if (!world.act(choices[round % Math.max(1, choices.length)] ?? 0)) break;
  }
  world.client.read(world.turn);
  return world;
}

it('comes out right whatever the order of events, takeovers, retries and interruptions', () => {
  const mishap = fc.record({
    at: fc.nat(40),
    mishap: fc.constantFrom<Mishap>('takeOver', 'takeOver', 'attempt', 'interrupt'),
  });
  const mishaps = fc
    .array(mishap, { maxLength: 6 })
    .filter((list) => list.filter(({ mishap }) => mishap === 'interrupt').length <= 2);
  fc.assert(
    fc.property(
      fc.array(fc.nat(50), { minLength: 1, maxLength: 40 }),
      mishaps,
      fc.boolean(),
      (choices, list, cached) => {
        check(run(choices, list, cached ? new Uint8Array(32) : undefined));
      },
    ),
    { numRuns: 300 },
  );
});
