import { z } from 'zod';
import { execResult, NOT_UNDERSTOOD } from './answers.ts';
import { cutEnd } from './cut-text.ts';
import { defineTool, errorText, QUICK, type ShownTool, text } from './tool.ts';
import { webAddress } from './web-address.ts';
import { mayFetch, whyRefused } from './web-fetch.ts';

const schema = z.strictObject({ url: webAddress });
type Args = z.infer<typeof schema>;

/** Fetched by the client. It does not ask its user by itself, so it is told to ask first. */
export const fetchTool = defineTool<Args>({
  name: 'fetch_from_machine',
  kind: 'fetchToolCall',
  access: 'read',
  description:
    "Fetches an address from the user's own machine, for what is only to be reached from there, such as a development server. The answer comes as it is.",
  schema,
  show: (args, { callId }) => ({ case: 'fetchToolCall', value: { args: wireArgs(args, callId) } }),
  refuse: (args, error, { callId }) => refuse(args, callId, error),
  next(args, [allowed, answer], { callId }) {
    if (!allowed) return { ask: mayFetch(args.url, callId) };
    const refused = whyRefused(allowed);
    if (refused !== undefined) {
      return { done: { shown: refuse(args, callId, refused), output: errorText(refused) } };
    }
    if (!answer) {
      const exec = { case: 'fetchArgs', value: wireArgs(args, callId) } as const;
      return { ask: { type: 'exec', exec, deadline: QUICK, repeatable: true } };
    }
    const result = execResult(answer, 'fetchResult')?.result;
    if (result?.case !== 'success') {
      const error = result?.case === 'error' ? result.value.error : NOT_UNDERSTOOD;
      return { done: { shown: refuse(args, callId, error), output: errorText(error) } };
    }
    const { content, statusCode, contentType, url } = result.value;
    const shown: ShownTool = {
      case: 'fetchToolCall',
      value: {
        args: wireArgs(args, callId),
        result: {
          result: { case: 'success', value: { url, content: cutEnd(content), statusCode, contentType } },
        },
      },
    };
    const head = `[Status ${statusCode}${contentType ? `; ${contentType}` : ''}]`;
    return { done: { shown, output: text(`${head}\n${cutEnd(content)}`) } };
  },
});

function wireArgs({ url }: Args, toolCallId: string) {
  return { url, toolCallId };
}

function refuse(args: Args, callId: string, error: string): ShownTool {
  return {
    case: 'fetchToolCall',
    value: {
      args: wireArgs(args, callId),
      result: { result: { case: 'error', value: { url: args.url, error } } },
    },
  };
}
