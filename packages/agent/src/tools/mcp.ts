import { create, fromJson, type JsonValue } from '@bufbuild/protobuf';
import { type Value, ValueSchema } from '@bufbuild/protobuf/wkt';
import { agent } from '@tandem/proto';
import { z } from 'zod';
import { cutEnd } from './cut-text.ts';
import { dataPart } from './image-type.ts';
import type { ToolSchema } from './schema/tool-schema.ts';
import { ACT, exec, NOT_UNDERSTOOD, notAllowed } from './steps.ts';
import { bindTool, errorText, type Tool, type ToolBehavior, type ToolOutput, text } from './tool.ts';

const argumentsSchema = z.record(z.string(), z.json());
type Args = Record<string, JsonValue>;

/** A tool of one of the user's MCP servers, or of the program that drives the client, under a name of its own. */
export function mcpTool(
  name: string,
  definition: agent.McpToolDefinition,
  { schema, check, restore }: ToolSchema,
): Tool {
  const behavior = mcpBehavior(definition);
  const { kind, access } = behavior;
  return {
    kind,
    access,
    definition: { name, description: definition.description, inputSchema: schema },
    bind(input, context) {
      const parsed = argumentsSchema.safeParse(input);
      if (!parsed.success) return z.prettifyError(parsed.error);
      const made = parsed.data as Args;
      return check(made) ?? bindTool(behavior, restore(made), context);
    },
  };
}

function mcpBehavior(definition: agent.McpToolDefinition): ToolBehavior<Args, 'mcpToolCall'> {
  const { name, providerIdentifier, toolName, description } = definition;
  return {
    kind: 'mcpToolCall',
    // Nobody knows what a foreign tool does.
    access: 'write',
    shownArgs(args, { callId }) {
      const values: Record<string, Value> = {};
      for (const [key, value] of Object.entries(args)) values[key] = fromJson(ValueSchema, value);
      const call = { name, args: values, toolCallId: callId, providerIdentifier, toolName };
      return create(agent.McpArgsSchema, call);
    },
    shownFailure: (error) => ({ result: { case: 'error', value: { error } } }),
    shownMore: () => ({ description }),
    *run(args, context) {
      const result = yield* exec('mcpArgs', this.shownArgs(args, context), ACT);
      switch (result.case) {
        case 'success':
          return { result: { result }, output: output(result.value) };
        case 'error':
          return { failure: cutEnd(result.value.error) };
        case 'rejected':
          return { result: { result }, output: errorText(notAllowed(result.value.reason)) };
        case 'permissionDenied':
          return { result: { result }, output: errorText(notAllowed(result.value.error)) };
        case 'toolNotFound':
          return { failure: `The server has no tool ${toolName}.` };
        case 'serverNotFound':
          return { failure: `The server ${providerIdentifier} is not there.` };
        default:
          return { failure: NOT_UNDERSTOOD };
      }
    },
  };
}

function output({ content, isError }: agent.McpSuccess): ToolOutput {
  const parts: Extract<ToolOutput, { type: 'content' }>['value'][number][] = [];
  for (const { content: item } of content) {
    if (item.case === 'text') parts.push({ type: 'text', text: cutEnd(item.value.text) });
    if (item.case === 'image') parts.push(dataPart(item.value.data, item.value.mimeType));
  }
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const value = cutEnd(texts.join('\n')) || 'Done, without a result.';
  if (isError) return errorText(value);
  return texts.length === parts.length ? text(value) : { type: 'content', value: parts };
}
