import { create } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import type { ModelMessage } from '../model/message.ts';
import type { ModelCall, ModelEvent } from '../model/port.ts';
import { type Answer, runRequest, TestClient } from './test-client.ts';
import { TestTurn } from './test-turn.ts';

export const ANSWER = 'The quick brown fox jumps over the lazy dog. '.repeat(2).trim();
const USAGE = {
  inputTokens: 1,
  outputTokens: 1,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};

/** How much of the answer comes before the tool calls. */
const BEFORE_TOOLS = 30;

/**
 * A model that knows one answer, and goes on where the transcript says that it stopped. In the middle it uses tools,
 * unless the user's message is the earlier one.
 */
function modelEvents({ messages }: ModelCall): ModelEvent[] {
  // As providers do, it refuses to answer itself.
  if (messages.at(-1)?.role === 'assistant') throw new Error('the transcript ends with an answer');
  const turn = messages.slice(messages.findLastIndex(isUsers));
  const said = assistantText(turn);
  const tools = turn.some(({ role }) => role === 'tool');
  const whole = tools || userText(turn[0]) === 'earlier';
  const chunks = ANSWER.slice(said.length, whole ? undefined : BEFORE_TOOLS).match(/.{1,9}/gs) ?? [];
  const id = `t${messages.length}`;
  return [
    { type: 'reasoning', text: 'Let me ' },
    { type: 'reasoning', text: 'think.' },
    { type: 'reasoning_end', providerOptions: { test: { signature: 's' } } },
    ...chunks.map((text) => ({ type: 'text', text }) as const),
    ...(whole ? [] : toolCalls(id)),
    { type: 'finish', reason: whole ? 'stop' : 'tool_calls', usage: USAGE, deployment: 'd' },
  ];
}

function toolCalls(id: string): ModelEvent[] {
  const write = JSON.stringify({ path: 'a', content: 'new' });
  return [
    { type: 'tool_input_start', id: `${id}r`, name: 'read_file' },
    { type: 'tool_input_delta', id: `${id}r`, delta: '{"path":"b"}' },
    { type: 'tool_call', id: `${id}r`, name: 'read_file', input: '{"path":"b"}' },
    { type: 'tool_call', id: `${id}w`, name: 'write_file', input: write },
  ];
}

function isUsers(message: ModelMessage): boolean {
  return ['hello', 'earlier'].includes(userText(message) ?? '');
}

function userText(message: ModelMessage | undefined): string | undefined {
  const last = message?.role === 'user' ? message.content.at(-1) : undefined;
  return last?.type === 'text' ? last.text : undefined;
}

export function assistantText(messages: readonly ModelMessage[]): string {
  return messages
    .flatMap((message) => (message.role === 'assistant' ? message.content : []))
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('');
}

/** One turn with its client and its model; `act` does one of the things that may happen next. */
export class World {
  readonly turn: TestTurn;
  readonly client = new Workspace();
  readonly calls: ModelCall[] = [];
  readonly cache = new Map<string, Uint8Array>();
  /** How many messages were sent during the turn. */
  steers = 0;
  #events: ModelEvent[] = [];
  #call = 0;
  #attempts = 0;
  #requestId = 'r2';
  /** What earlier attempts had to answer when their connection was lost. */
  #late: { answer: Answer; requestId: string }[] = [];

  constructor(key: Uint8Array | undefined) {
    const first = new TestTurn({ key });
    first.command(runRequest('earlier'));
    first.input({ type: 'activated' });
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
    const former = this.#requestId;
    this.#late.push(...this.client.loseAnswers().map((answer) => ({ answer, requestId: former })));
    this.#requestId = `r2.${this.#attempts}`;
    const { checkpoint } = this.client;
    const known =
      checkpoint &&
      this.turn.frames().some(({ message }) => message.message.case === 'conversationCheckpointUpdate');
    this.turn.attempt(
      known ? runRequest(undefined, checkpoint) : runRequest('hello', checkpoint),
      this.#requestId,
    );
    const item = this.turn.entries.at(-1)?.items.find(({ kind }) => kind === 'attempt');
    const { start, withheld } = item?.kind === 'attempt' ? item : { start: undefined };
    // What lies behind the start counts as never received.
    const reader = new TestClient();
    this.client.text = '';
    for (const { message, at } of this.turn.frames()) {
      if (!start || at.entry > start.entry || (at.entry === start.entry && at.item > start.item)) continue;
      const update = message.message.case === 'interactionUpdate' ? message.message.value.message : undefined;
      if (update?.case === 'textDelta') reader.text += update.value.text;
    }
    this.client.text = reader.text;
    this.client.readFrom(start, withheld);
  }

  /** The user sends a message while the turn runs. */
  steer(): void {
    const text = `steer ${this.steers}`;
    this.turn.command(
      {
        case: 'conversationAction',
        value: {
          action: {
            case: 'injectContextAction',
            value: {
              injectionId: text,
              payload: { case: 'userContext', value: { userMessage: { text } } },
            },
          },
        },
      },
      this.#requestId,
    );
    this.steers += 1;
  }

  interrupt(): void {
    if (this.#events.length === 0) return;
    this.#events = [];
    const event: ModelEvent = { type: 'finish', reason: 'interrupted', usage: USAGE, deployment: 'd' };
    this.turn.result({ type: 'model_event', call: this.#call, event });
  }

  #actions(): (() => void)[] {
    const { turn, client } = this;
    const actions = client.answers.map((_, index) => () => client.give(turn, index, this.#requestId));
    for (const late of this.#late) {
      actions.push(() => {
        this.#late = this.#late.filter((other) => other !== late);
        client.deliver(turn, late.answer, late.requestId);
      });
    }
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
      if (effect.type === 'activate_conversation') {
        actions.push(() => {
          done();
          turn.input({ type: 'activated' });
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

/** A client with one file that can be written; how often it was is counted. */
class Workspace extends TestClient {
  writes = 0;

  override answerExec({ id, message, execId }: agent.ExecServerMessage): void {
    if (message.case === 'requestContextArgs') {
      super.answerExec(create(agent.ExecServerMessageSchema, { id, message, execId }));
    } else if (message.case === 'readArgs') {
      const value = { path: message.value.path, output: { case: 'content', value: 'old' } } as const;
      const result = { case: 'readResult', value: { result: { case: 'success', value } } } as const;
      this.answer({ case: 'execClientMessage', value: { id, message: result } });
    } else if (message.case === 'writeArgs') {
      const result = { case: 'writeResult', value: { result: { case: 'success', value: {} } } } as const;
      this.answer({ case: 'execClientMessage', value: { id, message: result } }, () => {
        this.writes += 1;
      });
    }
  }
}
