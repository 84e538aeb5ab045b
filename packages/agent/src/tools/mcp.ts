import { create, fromJson, type JsonValue } from '@bufbuild/protobuf';
import { type Value, ValueSchema } from '@bufbuild/protobuf/wkt';
import { agent } from '@tandem/proto';
import { z } from 'zod';
import { execResult, NOT_UNDERSTOOD, notAllowed } from './answers.ts';
import { cutEnd } from './cut-text.ts';
import { base64, imageType, MAX_IMAGE_BYTES } from './image-type.ts';
import type { ToolSchema } from './schema/tool-schema.ts';
import {
  type Answer,
  type Done,
  errorText,
  PATIENT,
  type ShownTool,
  type Tool,
  type ToolContext,
  type ToolOutput,
} from './tool.ts';

const argumentsSchema = z.record(z.string(), z.json());
type Args = Record<string, JsonValue>;

/** A tool of one of the user's MCP servers, or of the program that drives the client, under a name of its own. */
export function mcpTool(
  name: string,
  definition: agent.McpToolDefinition,
  { schema, check, restore }: ToolSchema,
): Tool {
  return {
    kind: 'mcpToolCall',
    // Nobody knows what a foreign tool does.
    access: 'write',
    definition: { name, description: definition.description, inputSchema: schema },
    bind(input, context) {
      const parsed = argumentsSchema.safeParse(input);
      if (!parsed.success) return z.prettifyError(parsed.error);
      const made = parsed.data as Args;
      const fault = check(made);
      if (fault) return fault;
      const args = restore(made);
      return {
        files: [],
        writes: true,
        shown: () => shown(definition, args, context),
        refuse: (error) => shown(definition, args, context, { case: 'error', value: { error } }),
        next([answer]) {
          if (answer) return { done: result(definition, args, answer, context) };
          const exec = { case: 'mcpArgs', value: wireArgs(definition, args, context) } as const;
          return { ask: { type: 'exec', exec, deadline: PATIENT, repeatable: false } };
        },
      };
    },
  };
}

function result(definition: agent.McpToolDefinition, args: Args, answer: Answer, context: ToolContext): Done {
  const outcome = execResult(answer, 'mcpResult')?.result;
  const fail = (error: string): Done => ({
    shown: shown(definition, args, context, { case: 'error', value: { error } }),
    output: errorText(error),
  });
  switch (outcome?.case) {
    case 'success':
      return { shown: shown(definition, args, context, outcome), output: output(outcome.value) };
    case 'error':
      return fail(cutEnd(outcome.value.error));
    case 'rejected':
    case 'permissionDenied': {
      const said = outcome.case === 'rejected' ? outcome.value.reason : outcome.value.error;
      return {
        shown: shown(definition, args, context, outcome),
        output: errorText(notAllowed(said)),
      };
    }
    case 'toolNotFound':
      return fail(`The server has no tool ${definition.toolName}.`);
    case 'serverNotFound':
      return fail(`The server ${definition.providerIdentifier} is not there.`);
    default:
      return fail(NOT_UNDERSTOOD);
  }
}

function output({ content, isError }: agent.McpSuccess): ToolOutput {
  const parts: Extract<ToolOutput, { type: 'content' }>['value'][number][] = [];
  for (const { content: item } of content) {
    if (item.case === 'text') parts.push({ type: 'text', text: cutEnd(item.value.text) });
    if (item.case === 'image') {
      const { data, mimeType } = item.value;
      // What models can't see would make their providers refuse the whole conversation.
      const mediaType = imageType(data);
      if (mediaType && data.length <= MAX_IMAGE_BYTES)
        parts.push({ type: 'media', data: base64(data), mediaType });
      else
        parts.push({
          type: 'text',
          text: `[Data of type ${mimeType || 'unknown'}, ${data.length} bytes, is not shown.]`,
        });
    }
  }
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const value = cutEnd(texts.join('\n')) || 'Done, without a result.';
  if (isError) return errorText(value);
  if (texts.length === parts.length) return { type: 'text', value };
  return { type: 'content', value: parts };
}

type McpOutcome = NonNullable<
  NonNullable<Extract<ShownTool, { case: 'mcpToolCall' }>['value']['result']>['result']
>;

function shown(
  definition: agent.McpToolDefinition,
  args: Args,
  context: ToolContext,
  result?: McpOutcome,
): ShownTool {
  return {
    case: 'mcpToolCall',
    value: {
      args: wireArgs(definition, args, context),
      result: result && { result },
      description: definition.description,
    },
  };
}

function wireArgs(
  { name, providerIdentifier, toolName }: agent.McpToolDefinition,
  args: Args,
  { callId }: ToolContext,
) {
  const values: Record<string, Value> = {};
  for (const [key, value] of Object.entries(args)) values[key] = fromJson(ValueSchema, value);
  return create(agent.McpArgsSchema, {
    name,
    args: values,
    toolCallId: callId,
    providerIdentifier,
    toolName,
  });
}
