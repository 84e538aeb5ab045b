import type { FinishReason, ModelCall, ModelEvent, ModelInfo, Models, Usage } from '@tandem/agent';
import type { History } from '../world/history.ts';
import type { Process } from '../world/process.ts';
import type { Random } from '../world/random.ts';
import { type Exchange, exchangesOf, tokenOf } from './script.ts';

/** A call as the provider saw it. */
export interface SeenCall {
  readonly worker: string;
  readonly exchanges: readonly Exchange[];
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
    const { process, random, history, seen, cutChance } = this.#deps;
    const exchanges = exchangesOf(call.messages);
    seen.push({ worker: process.name, exchanges });
    const last = exchanges.at(-1);
    if (!last) throw new Error('a call without a user message');
    const { script, answered } = last;
    let index = answered.length === 0 ? 0 : countTokens(answered);
    history.note('model call', `${script.id} from ${index} at ${process.name}`);
    const thinks = random.chance(0.3);
    await this.#pause(script.paceMs, signal);
    if (thinks) {
      yield { type: 'reasoning', text: `thinking of ${script.id}` };
      yield { type: 'reasoning_end' };
    }
    // Once an answer: after a few cuts in a row a turn is to fail.
    const first = !seen.some(
      (call) => call.exchanges !== exchanges && call.exchanges.at(-1)?.script.id === script.id,
    );
    const cutAt = first && random.chance(cutChance) ? random.int(index, script.tokens) : undefined;
    for (; index < script.tokens; index++) {
      if (index === cutAt) return yield this.#finish('interrupted');
      await this.#pause(script.paceMs, signal);
      if (signal.aborted) return;
      yield { type: 'text', text: tokenOf(script, index) };
    }
    yield this.#finish('stop');
  }

  #finish(reason: FinishReason): ModelEvent {
    if (reason !== 'stop') this.#deps.history.count('fault: model interrupted');
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
