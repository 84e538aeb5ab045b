import { z } from 'zod';
import { execResult, NOT_UNDERSTOOD, notAllowed } from './answers.ts';
import { cutEnd } from './cut-text.ts';
import { base64, imageType, MAX_IMAGE_BYTES } from './image-type.ts';
import { defineTool, errorText, PATIENT, QUICK, type ShownTool, type ToolOutput, text } from './tool.ts';

const listSchema = z.strictObject({
  server: z.string().min(1).optional().describe('Only those of this MCP server.'),
});
type ListArgs = z.infer<typeof listSchema>;

export const listMcpResourcesTool = defineTool<ListArgs>({
  name: 'list_mcp_resources',
  kind: 'listMcpResourcesToolCall',
  access: 'read',
  description: "Lists the resources that the user's MCP servers offer.",
  schema: listSchema,
  show: (args) => ({ case: 'listMcpResourcesToolCall', value: { args } }),
  refuse: refuseList,
  next(args, [answer]) {
    if (!answer) {
      const exec = { case: 'listMcpResourcesExecArgs', value: args } as const;
      return { ask: { type: 'exec', exec, deadline: QUICK, repeatable: true } };
    }
    const result = execResult(answer, 'listMcpResourcesExecResult')?.result;
    if (result?.case === 'success') {
      const lines = result.value.resources.map(({ server, uri, name, description, mimeType }) => {
        const about = [name, mimeType, description].filter(Boolean).join('; ');
        return `${server} ${uri}${about ? `: ${about}` : ''}`;
      });
      const shown: ShownTool = { case: 'listMcpResourcesToolCall', value: { args, result: { result } } };
      return { done: { shown, output: text(cutEnd(lines.join('\n')) || 'There are no resources.') } };
    }
    if (result?.case === 'rejected') {
      const shown: ShownTool = { case: 'listMcpResourcesToolCall', value: { args, result: { result } } };
      return { done: { shown, output: errorText(notAllowed(result.value.reason)) } };
    }
    const error = result?.case === 'error' ? result.value.error : NOT_UNDERSTOOD;
    return { done: { shown: refuseList(args, error), output: errorText(error) } };
  },
});

const readSchema = z.strictObject({
  server: z.string().min(1).describe('The MCP server that offers it.'),
  uri: z.string().min(1),
});
type ReadArgs = z.infer<typeof readSchema>;

export const readMcpResourceTool = defineTool<ReadArgs>({
  name: 'read_mcp_resource',
  kind: 'readMcpResourceToolCall',
  access: 'read',
  description: 'Reads a resource of an MCP server.',
  schema: readSchema,
  show: (args) => ({ case: 'readMcpResourceToolCall', value: { args } }),
  refuse: refuseRead,
  next(args, [answer], { callId }) {
    if (!answer) {
      const exec = { case: 'readMcpResourceExecArgs', value: { ...args, toolCallId: callId } } as const;
      return { ask: { type: 'exec', exec, deadline: PATIENT, repeatable: true } };
    }
    const result = execResult(answer, 'readMcpResourceExecResult')?.result;
    const value = { args, result: result && { result } };
    const shown: ShownTool = { case: 'readMcpResourceToolCall', value };
    switch (result?.case) {
      case 'success':
        return { done: { shown, output: content(result.value) } };
      case 'rejected':
        return { done: { shown, output: errorText(notAllowed(result.value.reason)) } };
      case 'notFound':
        return { done: { shown, output: errorText(`There is no resource ${args.uri}.`) } };
      case 'error':
        return { done: { shown, output: errorText(result.value.error) } };
      default:
        return { done: { shown: refuseRead(args, NOT_UNDERSTOOD), output: errorText(NOT_UNDERSTOOD) } };
    }
  },
});

interface Resource {
  readonly mimeType?: string | undefined;
  readonly content:
    | { readonly case: 'text'; readonly value: string }
    | { readonly case: 'blob'; readonly value: Uint8Array }
    | { readonly case: undefined };
}

function content({ content: held, mimeType }: Resource): ToolOutput {
  if (held.case !== 'blob') {
    return text((held.case === 'text' && cutEnd(held.value)) || 'The resource is empty.');
  }
  const mediaType = imageType(held.value);
  if (!mediaType || held.value.length > MAX_IMAGE_BYTES) {
    return text(`[Data of type ${mimeType || 'unknown'}, ${held.value.length} bytes, is not shown.]`);
  }
  return { type: 'content', value: [{ type: 'media', data: base64(held.value), mediaType }] };
}

function refuseList(args: ListArgs, error: string): ShownTool {
  return {
    case: 'listMcpResourcesToolCall',
    value: { args, result: { result: { case: 'error', value: { error } } } },
  };
}

function refuseRead(args: ReadArgs, error: string): ShownTool {
  return {
    case: 'readMcpResourceToolCall',
    value: { args, result: { result: { case: 'error', value: { uri: args.uri, error } } } },
  };
}
