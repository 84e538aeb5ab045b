import { z } from 'zod';
import { cutEnd } from './cut-text.ts';
import { askToFetch, webAddress } from './inputs.ts';
import { job, NOT_UNDERSTOOD } from './steps.ts';
import { defineTool, errorText, text } from './tool.ts';

export const webFetchTool = defineTool({
  name: 'web_fetch',
  kind: 'webFetchToolCall',
  access: 'read',
  description: 'Reads a public page of the web, as text.',
  schema: z.strictObject({ url: webAddress.describe('The address of the page.') }),
  offered: ({ webFetch }) => webFetch,
  shownArgs: ({ url }, { callId }) => ({ url, toolCallId: callId }),
  shownFailure: (error, { url }) => ({ result: { case: 'error', value: { url, error } } }),
  *run(args, { callId }) {
    const reason = yield* askToFetch(args.url, callId);
    if (reason !== undefined) {
      return { result: { result: { case: 'rejected', value: { reason } } }, output: errorText(reason) };
    }
    const fetched = yield* job({ type: 'web_fetch', url: args.url });
    if (fetched.type !== 'page')
      return { failure: fetched.type === 'failed' ? fetched.reason : NOT_UNDERSTOOD };
    const { url, status, text: page, cut } = fetched.page;
    const markdown = cutEnd(page);
    const notes = [
      ...(url === args.url ? [] : [`Found at ${url}`]),
      ...(status === 200 ? [] : [`Status ${status}`]),
    ];
    const head = notes.length > 0 ? `[${notes.join('; ')}]\n` : '';
    const end = cut ? '\n[The page is larger than this server reads.]' : '';
    return {
      result: { result: { case: 'success', value: { url, markdown } } },
      output: text(`${head}${markdown || 'The page is empty.'}${end}`),
    };
  },
});
