import { z } from 'zod';
import { cutEnd } from './cut-text.ts';
import { job, NOT_UNDERSTOOD, query, whyRefused } from './steps.ts';
import { defineTool, errorText, text } from './tool.ts';

const MAX_HITS = 10;
const EXCERPT_CHARS = 2_000;

export const webSearchTool = defineTool({
  name: 'web_search',
  kind: 'webSearchToolCall',
  access: 'read',
  description: 'Searches the web. Gives addresses with excerpts; read a page with web_fetch.',
  schema: z.strictObject({ query: z.string().min(1).max(400).describe('What to look for.') }),
  offered: ({ webSearch }) => webSearch,
  shownArgs,
  shownFailure: (error) => ({ result: { case: 'error', value: { error } } }),
  *run(args, context) {
    const response = yield* query('webSearchRequestQuery', { args: shownArgs(args, context) });
    const permission = response?.result;
    if (permission?.case !== 'approved') {
      const reason = whyRefused(permission);
      return { result: { result: { case: 'rejected', value: { reason } } }, output: errorText(reason) };
    }
    const found = yield* job({ type: 'web_search', query: args.query });
    if (found.type !== 'hits') return { failure: found.type === 'failed' ? found.reason : NOT_UNDERSTOOD };
    const references = found.hits
      .slice(0, MAX_HITS)
      .map(({ title, url, excerpt }) => ({ title, url, chunk: cutEnd(excerpt, EXCERPT_CHARS) }));
    const said = references.map(({ title, url, chunk }) => [title, url, chunk].filter(Boolean).join('\n'));
    return {
      result: { result: { case: 'success', value: { references } } },
      output: text(cutEnd(said.join('\n\n')) || 'Nothing was found.'),
    };
  },
});

function shownArgs({ query: searchTerm }: { query: string }, { callId }: { callId: string }) {
  return { searchTerm, toolCallId: callId };
}
