import { createHash } from 'node:crypto';
import type { FinishReason, ModelCall, ModelEvent, ModelMessage, Models, Usage } from '@tandem/agent';
import { TandemError } from '@tandem/errors';
import type { VirtualClock } from './runtime.ts';

/** What the model says until it waits for tools, or is through. No two answers of a conversation have one text. */
export interface Answer {
  readonly thinks?: readonly string[];
  readonly text: string;
  /** Names and arguments; a string is sent as it is. */
  readonly calls?: readonly (readonly [name: string, input: unknown])[];
  /** Breaks off the first time, after so many characters; before the first one, each time. */
  readonly cut?: { readonly after: number; readonly reason: FinishReason };
  /** The provider refuses. */
  readonly fails?: boolean;
}

const PAUSE_MS = 20;
const USAGE: Usage = {
  inputTokens: 100,
  outputTokens: 10,
  cacheReadTokens: 5,
  cacheWriteTokens: 3,
  reasoningTokens: 2,
};
const LAST: Answer = { text: 'That is all.' };

/** Plays answers. It is told nothing but the transcript, and goes on from what that shows: a takeover changes nothing. */
export function scriptedModel(clock: VirtualClock, answers: readonly Answer[], asked: string[]) {
  const pause = () => new Promise<void>((resolve) => clock.after(PAUSE_MS, resolve));
  async function* call({ messages }: ModelCall, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
    asked.push(digest(messages));
    for (const event of eventsOf(answers, messages)) {
      await pause();
      if (signal.aborted) return;
      yield event;
    }
  }
  const find: Models['find'] = (id) => ({ id, contextWindow: 10_000, supportsImages: true });
  return { find, call, listing: () => [], close: async () => {} };
}

function* eventsOf(
  answers: readonly Answer[],
  messages: readonly ModelMessage[],
): Generator<ModelEvent, void> {
  const said = partsOf(messages).map((part) => (part.type === 'text' ? part.text : ''));
  const text = said.join('');
  const answer = answers[nextAnswer(answers, messages, text)] ?? LAST;
  if (answer.fails) throw new TandemError('provider_unavailable');
  const start = text.includes(answer.text) ? answer.text.length : overlap(text, answer.text);
  const cut = answer.cut && (start < answer.cut.after || answer.cut.after === 0) ? answer.cut : undefined;
  for (const thought of answer.thinks ?? []) {
    yield { type: 'reasoning', text: thought };
    yield { type: 'reasoning_end', providerOptions: { scripted: { signature: `of ${thought}` } } };
  }
  for (const chunk of answer.text.slice(start, cut?.after).match(/.{1,16}/gs) ?? []) {
    yield { type: 'text', text: chunk };
  }
  if (!cut) {
    for (const [index, [name, input]] of (answer.calls ?? []).entries()) {
      const json = typeof input === 'string' ? input : JSON.stringify(input);
      const id = `call_${index}`;
      yield { type: 'tool_input_start', id, name };
      yield { type: 'tool_input_delta', id, delta: json };
      yield { type: 'tool_call', id, name, input: json };
    }
  }
  const reason = cut?.reason ?? (answer.calls ? 'tool_calls' : 'stop');
  yield { type: 'finish', reason, usage: USAGE, deployment: 'scripted' };
}

/** The first answer that the transcript does not show in full. */
function nextAnswer(answers: readonly Answer[], messages: readonly ModelMessage[], said: string): number {
  const called = partsOf(messages).filter(({ type }) => type === 'tool-call').length;
  let calls = 0;
  return answers.findIndex((answer) => {
    calls += answer.calls?.length ?? 0;
    return !said.includes(answer.text) || called < calls;
  });
}

function partsOf(messages: readonly ModelMessage[]) {
  return messages.flatMap((message) => (message.role === 'assistant' ? message.content : []));
}

/** How much of the beginning of `text` is the end of `said`. */
function overlap(said: string, text: string): number {
  for (let length = text.length - 1; length > 0; length--) {
    if (said.endsWith(text.slice(0, length))) return length;
  }
  return 0;
}

function digest(messages: readonly ModelMessage[]): string {
  return createHash('sha256').update(JSON.stringify(messages)).digest('hex').slice(0, 12);
}
