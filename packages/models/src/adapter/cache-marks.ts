import type { LanguageModelV4Prompt } from '@ai-sdk/provider';

const MARK = { anthropic: { cacheControl: { type: 'ephemeral' } } } as const;

/** Marks on what the user's side said: the newest, to be found by the next call, and the one before, found by this. */
const NEWEST = 2;

/**
 * Marks where Anthropic caches the prompt: after the system prompt (tools included, which precede it) and after the
 * newest messages of the user's side. At most four marks are allowed; this sets three.
 */
export function markCachePoints(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const firstOther = prompt.findIndex(({ role }) => role !== 'system');
  const systemEnd = (firstOther === -1 ? prompt.length : firstOther) - 1;
  const said = prompt.flatMap(({ role }, index) => (role === 'user' || role === 'tool' ? [index] : []));
  const marked = new Set([systemEnd, ...said.slice(-NEWEST)]);
  return prompt.map((message, index) =>
    marked.has(index) ? { ...message, providerOptions: MARK } : message,
  );
}
