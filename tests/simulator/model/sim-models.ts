import type { FinishReason, ModelCall, ModelEvent, ModelInfo, Models, Usage } from '@tandem/agent';
import type { History } from '../world/history.ts';
import type { Process } from '../world/process.ts';
import type { Random } from '../world/random.ts';
import { type Exchange, exchangesOf, type Script, tokenOf } from './script.ts';
import { callName, toolRequest } from './tool-plan.ts';

/** A call as the provider saw it. */
export interface SeenCall {
  readonly worker: string;
  readonly exchanges: readonly Exchange[];
  /** The provider broke it off. */
  cut: boolean;
}

const USAGE: Usage = {
  inputTokens: 10,
  outputTokens: 5,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};

const INFO: ModelInfo = { id: 'sim', contextWindow: 100_000, supportsImages: false };

/** A provider that plays scripts: whatever the transcript shows of an answer, it goes on from there. */
export class SimModels implements Models {
  readonly #deps: { process: Process; random: Random; history: History; seen: SeenCall[]; cutChance: number };

  constructor(deps: {
    process: Process;
    random: Random;
    history: History;
    seen: SeenCall[];
    cutChance: number;
  }) {
    this.#deps = deps;
  }

  find(): ModelInfo {
    return INFO;
  }

  listing(): [] {
    return [];
  }

  async close(): Promise<void> {}

  async *call(call: ModelCall, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
    const { process, random, history, seen } = this.#deps;
    const exchanges = exchangesOf(call.messages);
    const own: SeenCall = { worker: process.name, exchanges, cut: false };
    seen.push(own);
    const last = exchanges.at(-1);
    if (!last) throw new Error('a call without a user message');
    const { script, answered, batches } = last;
    const batch = script.batches[batches.length];
    const from = answered.length === 0 ? 0 : countTokens(answered);
    const to = Math.max(from, batch?.after ?? script.tokens);
    history.note('model call', `${script.id} from ${from} at ${process.name}`);
    const thinks = random.chance(0.3);
    await this.#pause(script.paceMs, signal);
    if (thinks) {
      yield { type: 'reasoning', text: `thinking of ${script.id}` };
      yield { type: 'reasoning_end' };
    }
    const cutAt = this.#drawCut(script, from, to);
    for (let index = from; index < to; index++) {
      if (index === cutAt) return yield this.#cut(own);
      await this.#pause(script.paceMs, signal);
      if (signal.aborted) return;
      yield { type: 'text', text: tokenOf(script, index) };
    }
    if (!batch) return yield this.#finish('stop');
    yield* this.#callTools(script, batches.length);
    await this.#pause(script.paceMs, signal);
    if (signal.aborted) return;
    yield cutAt === to ? this.#cut(own) : this.#finish('tool_calls');
  }

  /** Where the provider breaks off: once an answer at most, since after a few cuts in a row a turn is to fail. */
  #drawCut({ id }: Script, from: number, to: number): number | undefined {
    const { seen, random, cutChance } = this.#deps;
    const before = seen.some(({ cut, exchanges }) => cut && exchanges.at(-1)?.script.id === id);
    return !before && random.chance(cutChance) ? random.int(from, to) : undefined;
  }

  /** Calls are provisional until the answer is finished. */
  *#callTools({ id, batches }: Script, number: number): Generator<ModelEvent, void> {
    for (const [index, tool] of (batches[number]?.tools ?? []).entries()) {
      const { name, input } = toolRequest(tool, callName(id, number, index));
      const text = JSON.stringify(input);
      // As providers do that number the calls of each answer anew.
      const call = { id: `call_${index}`, name };
      yield { type: 'tool_input_start', ...call };
      for (const delta of [text.slice(0, 9), text.slice(9)])
        yield { type: 'tool_input_delta', id: call.id, delta };
      yield { type: 'tool_call', ...call, input: text };
    }
  }

  #cut(call: SeenCall): ModelEvent {
    call.cut = true;
    this.#deps.history.count('fault: model interrupted');
    return this.#finish('interrupted');
  }

  #finish(reason: FinishReason): ModelEvent {
    return { type: 'finish', reason, usage: USAGE, deployment: 'sim' };
  }

  #pause(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || ms === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        timer.cancel();
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = this.#deps.process.clock.after(ms, done);
      signal.addEventListener('abort', done, { once: true });
    });
  }
}

function countTokens(text: string): number {
  return text.split('[').length - 1;
}
