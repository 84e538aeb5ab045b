import { z } from 'zod';
import { cutEnd } from './cut-text.ts';
import { askToFetch, webAddress } from './inputs.ts';
import { exec, LOOK, NOT_UNDERSTOOD } from './steps.ts';
import { defineTool, text } from './tool.ts';

/** Fetched by the client. It does not ask its user by itself, so the server asks first. */
export const fetchTool = defineTool({
  name: 'fetch_from_machine',
  kind: 'fetchToolCall',
  access: 'read',
  description:
    "Fetches an address from the user's own machine, for what is only to be reached from there, such as a development server. The answer comes as it is.",
  schema: z.strictObject({ url: webAddress }),
  shownArgs: ({ url }, { callId }) => ({ url, toolCallId: callId }),
  shownFailure: (error, { url }) => ({ result: { case: 'error', value: { url, error } } }),
  *run({ url }, { callId }) {
    const refused = yield* askToFetch(url, callId);
    if (refused !== undefined) return { failure: refused };
    const fetched = yield* exec('fetchArgs', { url, toolCallId: callId }, LOOK);
    if (fetched.case === 'error') return { failure: fetched.value.error };
    if (fetched.case !== 'success') return { failure: NOT_UNDERSTOOD };
    const { statusCode, contentType } = fetched.value;
    const content = cutEnd(fetched.value.content);
    const value = { url: fetched.value.url, content, statusCode, contentType };
    const head = `[Status ${statusCode}${contentType ? `; ${contentType}` : ''}]`;
    return { result: { result: { case: 'success', value } }, output: text(`${head}\n${content}`) };
  },
});
