import type { ModelEvent, ModelMessage, ToolDefinition } from '@tandem/agent';
import type { Step } from '@tandem/test-support/provider';
import { collect, type Rig, user } from './harness.ts';

export const TOOL: ToolDefinition = {
  name: 'read',
  description: 'Reads a file.',
  inputSchema: { type: 'object', properties: { n: { type: 'integer', minimum: 1 } }, required: [] },
};

/** The assistant's message as the agent stores it: through JSON. */
export function stored(events: readonly ModelEvent[]): ModelMessage {
  const content: unknown[] = [];
  let reasoning = '';
  let text = '';
  for (const event of events) {
    if (event.type === 'reasoning') reasoning += event.text;
    if (event.type === 'reasoning_end') {
      content.push({ type: 'reasoning', text: reasoning, providerOptions: event.providerOptions });
      reasoning = '';
    }
    if (event.type === 'text') text += event.text;
    if (event.type === 'tool_call' || event.type === 'finish') {
      if (text) content.push({ type: 'text', text });
      text = '';
    }
    if (event.type === 'tool_call') {
      const { id, name, input, providerOptions } = event;
      content.push({
        type: 'tool-call',
        toolCallId: id,
        toolName: name,
        input: JSON.parse(input),
        providerOptions,
      });
    }
  }
  return JSON.parse(JSON.stringify({ role: 'assistant', content }));
}

export const result = (...ids: string[]): ModelMessage => ({
  role: 'tool',
  content: ids.map((toolCallId) => ({
    type: 'tool-result',
    toolCallId,
    toolName: 'read',
    output: { type: 'text', value: 'file' },
  })),
});

const IMAGE = { type: 'image', image: 'aGk=', mediaType: 'image/png' } as const;
/** An image that the user shows, and one that a tool returns. */
export const SHOWN: ModelMessage[] = [
  { role: 'user', content: [{ type: 'text', text: 'see' }, IMAGE] },
  { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'read', input: {} }] },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: 'c1',
        toolName: 'read',
        output: {
          type: 'content',
          value: [
            { type: 'text', text: 'a picture' },
            { type: 'media', data: 'aG8=', mediaType: 'image/png' },
          ],
        },
      },
    ],
  },
];

export const EFFORT = [
  { id: 'effort', sets: 'reasoning' as const, default: 'low', values: [{ value: 'low' }] },
];

export const TWO_CALLS: Step[] = [
  { type: 'tool_call', id: 'c1', name: 'read', arguments: '{"n":1}' },
  { type: 'tool_call', id: 'c2', name: 'read', arguments: '{"n":2}' },
];

/** Plays `steps`, then asks again with what was said and the results of the two calls; resolves with the second request. */
export async function replayed(rig: Rig, steps: readonly Step[]) {
  rig.provider.script('*', [{ steps }]);
  const said = stored(await collect(rig, { tools: [TOOL] }));
  await collect(rig, { messages: [user('hello'), said, result('c1', 'c2')], tools: [TOOL] });
  return rig.provider.requests[1]?.body;
}
