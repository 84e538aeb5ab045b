import type { ModelCall, ModelEvent, ModelInfo, Models } from '@tandem/agent';
import { sleep } from '@tandem/client/wire';
import { playModel, type Step } from '@tandem/test-support/provider';
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
    const { process, history, seen } = this.#deps;
    const exchanges = exchangesOf(call.messages);
    const own: SeenCall = { worker: process.name, exchanges, cut: false };
    seen.push(own);
    const last = exchanges.at(-1);
    if (!last) throw new Error('a call without a user message');
    const delay = (ms: number) => sleep(process.clock, ms);
    for await (const event of playModel(this.#answerTo(last), { signal, delay, deployment: 'sim' })) {
      if (event.type === 'finish' && event.reason === 'interrupted') {
        own.cut = true;
        history.count('fault: model interrupted');
      }
      yield event;
    }
  }

  /** The script's answer from where the transcript ends, up to the next calls or to the end. */
  #answerTo({ script, answered, batches }: Exchange): Step[] {
    const { process, random, history } = this.#deps;
    const batch = script.batches[batches.length];
    const from = answered.length === 0 ? 0 : countTokens(answered);
    const to = Math.max(from, batch?.after ?? script.tokens);
    history.note('model call', `${script.id} from ${from} at ${process.name}`);
    const pause: Step[] = script.paceMs === 0 ? [] : [{ type: 'delay', ms: script.paceMs }];
    const steps: Step[] = [{ type: 'usage', input: 10, output: 5 }, ...pause];
    if (random.chance(0.3)) steps.push({ type: 'reasoning', text: `thinking of ${script.id}` });
    const cutAt = this.#drawCut(script, from, to);
    for (let index = from; index < to; index++) {
      if (index === cutAt) return [...steps, { type: 'cut' }];
      steps.push(...pause, { type: 'text', text: tokenOf(script, index) });
    }
    if (!batch) return steps;
    steps.push(...toolCalls(script, batches.length), ...pause);
    return cutAt === to ? [...steps, { type: 'cut' }] : steps;
  }

  /** Where the provider breaks off: once an answer at most, since after a few cuts in a row a turn is to fail. */
  #drawCut({ id }: Script, from: number, to: number): number | undefined {
    const { seen, random, cutChance } = this.#deps;
    const before = seen.some(({ cut, exchanges }) => cut && exchanges.at(-1)?.script.id === id);
    return !before && random.chance(cutChance) ? random.int(from, to) : undefined;
  }
}

/** Calls of tools side by side. */
function toolCalls({ id, batches }: Script, number: number): Step[] {
  return (batches[number]?.tools ?? []).map((tool, index) => {
    const { name, input } = toolRequest(tool, callName(id, number, index));
    const text = JSON.stringify(input);
    // As providers do that number the calls of each answer anew.
    return { type: 'tool_call', id: `call_${index}`, name, arguments: [text.slice(0, 9), text.slice(9)] };
  });
}

function countTokens(text: string): number {
  return text.split('[').length - 1;
}
