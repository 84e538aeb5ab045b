import type { CallUsage } from '@tandem/actor-core';
import type { ModelCall, ModelEvent, Usage } from '@tandem/agent';
import { costOf } from '@tandem/models';
import type { Catalogue } from '@tandem/platform';

/** What a token is of, in characters, where no provider has counted. */
const CHARACTERS_PER_TOKEN = 4;
/** What an image takes, roughly, whatever its size: its bytes say nothing about it. */
const IMAGE_TOKENS = 1000;

/** What a call takes at least, in tokens: its prompt. */
export function promptTokens({ messages, tools }: Pick<ModelCall, 'messages' | 'tools'>): number {
  return Math.ceil((charactersOf(messages) + charactersOf(tools)) / CHARACTERS_PER_TOKEN);
}

function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  if ('type' in value && value.type === 'image') return IMAGE_TOKENS * CHARACTERS_PER_TOKEN;
  let sum = 0;
  for (const inner of Object.values(value)) sum += charactersOf(inner);
  return sum;
}

/** Follows one call, to know what it took even if no provider says. */
export class CallMeter {
  readonly #promptTokens: number;
  readonly #costOf: (usage: Usage) => number;
  #begun = false;
  #characters = 0;
  #usage: Usage | undefined;

  /** @param costOf in billionths of the unit of prices, a whole number */
  constructor(tokens: number, costOf: (usage: Usage) => number) {
    this.#promptTokens = tokens;
    this.#costOf = costOf;
  }

  /** The provider is being asked. */
  begin(): void {
    this.#begun = true;
  }

  /** The provider did not answer. */
  failed(): void {
    this.#begun = false;
  }

  event(event: ModelEvent): void {
    if (event.type === 'text' || event.type === 'reasoning') this.#characters += event.text.length;
    else if (event.type === 'tool_input_delta') this.#characters += event.delta.length;
    else if (event.type === 'finish') this.#usage = event.usage;
  }

  /** What the provider counted; else, of a call that was cut off or of a provider that does not count, an estimate. */
  get total(): CallUsage {
    const counted = this.#usage;
    if (counted && counted.inputTokens + counted.outputTokens + counted.cacheReadTokens > 0) {
      const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = counted;
      return {
        input: inputTokens,
        output: outputTokens,
        cacheRead: cacheReadTokens,
        cacheWrite: cacheWriteTokens,
        estimated: 0,
        money: this.#costOf(counted),
      };
    }
    const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    if (!this.#begun) return { ...none, estimated: 0, money: 0 };
    const outputTokens = Math.ceil(this.#characters / CHARACTERS_PER_TOKEN);
    const money = this.#costOf({ ...NO_TOKENS, inputTokens: this.#promptTokens, outputTokens });
    return { ...none, estimated: this.#promptTokens + outputTokens, money };
  }
}

export const NO_TOKENS: Usage = Object.freeze({
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
});

/** What calls of the catalogue's models cost, in the unit of its prices; undefined where it names none. */
export function priceList(catalogue: Catalogue): (modelId: string, usage: Usage) => number | undefined {
  const prices = new Map(catalogue.models.map(({ id, price }) => [id, price]));
  return (modelId, usage) => costOf(prices.get(modelId), usage);
}
