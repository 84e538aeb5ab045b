import { messagesOf, type ProviderRequest } from './request.ts';
import type { Step } from './script.ts';

export interface ScriptedUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
}

/** The usage that the steps name, else one token for every four characters. */
export function estimateUsage(request: ProviderRequest, steps: readonly Step[]): ScriptedUsage {
  const scripted = steps.find((step) => step.type === 'usage');
  if (scripted) return { cacheRead: 0, cacheWrite: 0, reasoning: 0, ...scripted };
  const written = steps.map((step) =>
    step.type === 'text' || step.type === 'reasoning' ? step.text.length : 0,
  );
  const output = Math.ceil(written.reduce((sum, length) => sum + length, 0) / 4);
  const input = Math.ceil(JSON.stringify(messagesOf(request.body)).length / 4);
  return { input, output, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
}
