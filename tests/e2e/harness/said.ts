import type { ProviderRequest } from '@tandem/test-support/provider';

/** What the user said last: the last text of the last user message, behind what the server put in front of it. */
export function saidLast({ body }: ProviderRequest): string {
  const content = body.messages.findLast(({ role }) => role === 'user')?.content ?? '';
  if (typeof content === 'string') return content;
  return content.findLast(({ type }) => type === 'text')?.text ?? '';
}
