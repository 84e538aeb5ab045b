import type { agent } from '@tandem/proto';
import { z } from 'zod';
import { cutEnd } from './cut-text.ts';
import { dataPart } from './image-type.ts';
import { exec, LOOK, NOT_UNDERSTOOD, notAllowed, PATIENT } from './steps.ts';
import { defineTool, errorText, type ToolOutput, text } from './tool.ts';

export const listMcpResourcesTool = defineTool({
  name: 'list_mcp_resources',
  kind: 'listMcpResourcesToolCall',
  access: 'read',
  description: "Lists the resources that the user's MCP servers offer.",
  schema: z.strictObject({
    server: z.string().min(1).optional().describe('Only those of this MCP server.'),
  }),
  offered: ({ mcpResources }) => mcpResources,
  shownArgs: (args) => args,
  shownFailure: (error) => ({ result: { case: 'error', value: { error } } }),
  *run(args) {
    const result = yield* exec('listMcpResourcesExecArgs', args, LOOK);
    if (result.case === 'rejected') {
      return { result: { result }, output: errorText(notAllowed(result.value.reason)) };
    }
    if (result.case === 'error') return { failure: result.value.error };
    if (result.case !== 'success') return { failure: NOT_UNDERSTOOD };
    const lines = result.value.resources.map(({ server, uri, name, description, mimeType }) => {
      const about = [name, mimeType, description].filter(Boolean).join('; ');
      return `${server} ${uri}${about ? `: ${about}` : ''}`;
    });
    return { result: { result }, output: text(cutEnd(lines.join('\n')) || 'There are no resources.') };
  },
});

export const readMcpResourceTool = defineTool({
  name: 'read_mcp_resource',
  kind: 'readMcpResourceToolCall',
  access: 'read',
  description: 'Reads a resource of an MCP server.',
  schema: z.strictObject({
    server: z.string().min(1).describe('The MCP server that offers it.'),
    uri: z.string().min(1),
  }),
  offered: ({ mcpResources }) => mcpResources,
  shownArgs: (args) => args,
  shownFailure: (error, { uri }) => ({ result: { case: 'error', value: { uri, error } } }),
  *run(args, { callId }) {
    const options = { deadline: PATIENT, repeatable: true };
    const result = yield* exec('readMcpResourceExecArgs', { ...args, toolCallId: callId }, options);
    switch (result.case) {
      case 'success':
        return { result: { result }, output: content(result.value) };
      case 'rejected':
        return { result: { result }, output: errorText(notAllowed(result.value.reason)) };
      case 'notFound':
        return { result: { result }, output: errorText(`There is no resource ${args.uri}.`) };
      case 'error':
        return { result: { result }, output: errorText(result.value.error) };
      default:
        return { failure: NOT_UNDERSTOOD };
    }
  },
});

function content({ content: held, mimeType }: agent.ReadMcpResourceSuccess): ToolOutput {
  if (held.case !== 'blob') {
    return text((held.case === 'text' && cutEnd(held.value)) || 'The resource is empty.');
  }
  const part = dataPart(held.value, mimeType);
  return part.type === 'text' ? text(part.text) : { type: 'content', value: [part] };
}
