import { z } from 'zod';
import { NOT_UNDERSTOOD, notAllowed, queryResult } from './answers.ts';
import { cutEnd } from './cut-text.ts';
import { defineTool, errorText, type ShownTool, text } from './tool.ts';

const MAX_HITS = 10;
const EXCERPT_CHARS = 2_000;

const schema = z.strictObject({ query: z.string().min(1).max(400).describe('What to look for.') });
type Args = z.infer<typeof schema>;

export const webSearchTool = defineTool<Args>({
  name: 'web_search',
  kind: 'webSearchToolCall',
  access: 'read',
  description: 'Searches the web. Gives addresses with excerpts; read a page with web_fetch.',
  schema,
  show: (args, { callId }) => ({ case: 'webSearchToolCall', value: { args: wireArgs(args, callId) } }),
  refuse: (args, error, { callId }) => refuse(args, callId, error),
  next(args, [allowed, answer], { callId }) {
    const wire = wireArgs(args, callId);
    if (!allowed) {
      return { ask: { type: 'query', query: { case: 'webSearchRequestQuery', value: { args: wire } } } };
    }
    const permission = queryResult(allowed, 'webSearchRequestResponse')?.result;
    if (permission?.case !== 'approved') {
      const reason = permission?.case === 'rejected' ? notAllowed(permission.value.reason) : NOT_UNDERSTOOD;
      const shown: ShownTool = {
        case: 'webSearchToolCall',
        value: { args: wire, result: { result: { case: 'rejected', value: { reason } } } },
      };
      return { done: { shown, output: errorText(reason) } };
    }
    if (!answer) return { ask: { type: 'job', job: { type: 'web_search', query: args.query } } };
    const result = answer.type === 'job' ? answer.result : undefined;
    if (result?.type !== 'hits') {
      const reason = result?.type === 'failed' ? result.reason : NOT_UNDERSTOOD;
      return { done: { shown: refuse(args, callId, reason), output: errorText(reason) } };
    }
    const hits = result.hits.slice(0, MAX_HITS);
    const references = hits.map(({ title, url, excerpt }) => ({
      title,
      url,
      chunk: cutEnd(excerpt, EXCERPT_CHARS),
    }));
    const shown: ShownTool = {
      case: 'webSearchToolCall',
      value: { args: wire, result: { result: { case: 'success', value: { references } } } },
    };
    const said = references.map(({ title, url, chunk }) => [title, url, chunk].filter(Boolean).join('\n'));
    return { done: { shown, output: text(cutEnd(said.join('\n\n')) || 'Nothing was found.') } };
  },
});

function wireArgs({ query }: Args, toolCallId: string) {
  return { searchTerm: query, toolCallId };
}

function refuse(args: Args, callId: string, error: string): ShownTool {
  return {
    case: 'webSearchToolCall',
    value: { args: wireArgs(args, callId), result: { result: { case: 'error', value: { error } } } },
  };
}
