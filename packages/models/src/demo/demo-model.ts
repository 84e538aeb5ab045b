import type { ModelCall, ModelEvent } from '@tandem/agent';
import { type Clock, sleep } from '@tandem/errors';
import { demoReply } from './reply.ts';

/** Milliseconds between two words: slow enough to be seen streaming. */
const PACE_MS = 15;
const CHARACTERS_A_TOKEN = 4;

/** Streams the demo model's answer, word by word, with a usage estimated from characters. */
export async function* streamDemo(
  call: ModelCall,
  deployment: string,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const { reasoning, text } = demoReply(call.messages);
  for (const word of words(reasoning)) {
    await sleep(clock, PACE_MS, signal);
    yield { type: 'reasoning', text: word };
  }
  yield { type: 'reasoning_end' };
  for (const word of words(text)) {
    await sleep(clock, PACE_MS, signal);
    yield { type: 'text', text: word };
  }
  const reasoningTokens = tokens(reasoning);
  yield {
    type: 'finish',
    reason: 'stop',
    usage: {
      inputTokens: tokens(JSON.stringify(call.messages)),
      outputTokens: tokens(text) + reasoningTokens,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens,
    },
    deployment,
  };
}

function words(text: string): string[] {
  return text.match(/\S+\s*/g) ?? [];
}

function tokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_A_TOKEN);
}
