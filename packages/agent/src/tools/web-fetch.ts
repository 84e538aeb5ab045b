import { z } from 'zod';
import { NOT_UNDERSTOOD, notAllowed, queryResult } from './answers.ts';
import { cutEnd } from './cut-text.ts';
import { type Answer, type Ask, defineTool, errorText, type ShownTool, text } from './tool.ts';
import { webAddress } from './web-address.ts';

const schema = z.strictObject({ url: webAddress.describe('The address of the page.') });
type Args = z.infer<typeof schema>;

export const webFetchTool = defineTool<Args>({
  name: 'web_fetch',
  kind: 'webFetchToolCall',
  access: 'read',
  description: 'Reads a public page of the web, as text.',
  schema,
  show: (args, { callId }) => ({ case: 'webFetchToolCall', value: { args: wireArgs(args, callId) } }),
  refuse: (args, error, { callId }) => refuse(args, callId, error),
  next(args, [allowed, answer], { callId }) {
    if (!allowed) return { ask: mayFetch(args.url, callId) };
    const refused = whyRefused(allowed);
    if (refused !== undefined) {
      const shown: ShownTool = {
        case: 'webFetchToolCall',
        value: {
          args: wireArgs(args, callId),
          result: { result: { case: 'rejected', value: { reason: refused } } },
        },
      };
      return { done: { shown, output: errorText(refused) } };
    }
    if (!answer) return { ask: { type: 'job', job: { type: 'web_fetch', url: args.url } } };
    const result = answer.type === 'job' ? answer.result : undefined;
    if (result?.type !== 'page') {
      const reason = result?.type === 'failed' ? result.reason : NOT_UNDERSTOOD;
      return { done: { shown: refuse(args, callId, reason), output: errorText(reason) } };
    }
    const { url, status, text: page, cut } = result.page;
    const markdown = cutEnd(page);
    const shown: ShownTool = {
      case: 'webFetchToolCall',
      value: {
        args: wireArgs(args, callId),
        result: { result: { case: 'success', value: { url, markdown } } },
      },
    };
    const notes = [
      ...(url === args.url ? [] : [`Found at ${url}`]),
      ...(status === 200 ? [] : [`Status ${status}`]),
    ];
    const head = notes.length > 0 ? `[${notes.join('; ')}]\n` : '';
    const end = cut ? '\n[The page is larger than this server reads.]' : '';
    return { done: { shown, output: text(`${head}${markdown || 'The page is empty.'}${end}`) } };
  },
});

/** Asks the user, since an address can carry off what the model knows. */
export function mayFetch(url: string, callId: string): Ask {
  return {
    type: 'query',
    query: { case: 'webFetchRequestQuery', value: { args: { url, toolCallId: callId } } },
  };
}

/** Undefined when the user lets the address be fetched. */
export function whyRefused(answer: Answer): string | undefined {
  const result = queryResult(answer, 'webFetchRequestResponse')?.result;
  if (result?.case === 'approved') return undefined;
  return result?.case === 'rejected' ? notAllowed(result.value.reason) : NOT_UNDERSTOOD;
}

function wireArgs({ url }: Args, toolCallId: string) {
  return { url, toolCallId };
}

function refuse(args: Args, callId: string, error: string): ShownTool {
  return {
    case: 'webFetchToolCall',
    value: {
      args: wireArgs(args, callId),
      result: { result: { case: 'error', value: { url: args.url, error } } },
    },
  };
}
