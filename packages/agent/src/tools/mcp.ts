import { create, fromJson, type JsonObject, type JsonValue, toJson } from '@bufbuild/protobuf';
import { type Value, ValueSchema } from '@bufbuild/protobuf/wkt';
import { agent } from '@tandem/proto';
import { z } from 'zod';
import { cutEnd } from './cut-text.ts';
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
export function mcpTool(name: string, definition: agent.McpToolDefinition): Tool {
  return {
    kind: 'mcpToolCall',
    // Nobody knows what a foreign tool does.
    access: 'write',
    definition: { name, description: definition.description, inputSchema: inputSchema(definition) },
    bind(input, context) {
      const parsed = argumentsSchema.safeParse(input);
      if (!parsed.success) return z.prettifyError(parsed.error);
      const args = parsed.data as Args;
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

/** The schema as the server gave it; numbers that the wire has as doubles are plain JSON numbers again. */
function inputSchema({ inputSchema, inputSchemaJson }: agent.McpToolDefinition): JsonObject {
  const schema = inputSchemaJson
    ? parseJson(inputSchemaJson)
    : inputSchema && toJson(ValueSchema, inputSchema);
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    return { type: 'object', properties: {} };
  return schema.type === 'object' ? schema : { ...schema, type: 'object' };
}

function parseJson(json: string): JsonValue | undefined {
  try {
    return JSON.parse(json) as JsonValue;
  } catch {
    // A server's schema that is no JSON says nothing; its tool can still be called.
    return undefined;
  }
}

function result(definition: agent.McpToolDefinition, args: Args, answer: Answer, context: ToolContext): Done {
  const message = answer.type === 'exec' ? answer.message : undefined;
  const outcome = message?.case === 'mcpResult' ? message.value.result : undefined;
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
        output: errorText(`The user did not allow it. ${said}`.trim()),
      };
    }
    case 'toolNotFound':
      return fail(`The server has no tool ${definition.toolName}.`);
    case 'serverNotFound':
      return fail(`The server ${definition.providerIdentifier} is not there.`);
    default:
      return fail('The client gave an answer that is not understood.');
  }
}

function output({ content, isError }: agent.McpSuccess): ToolOutput {
  const parts: Extract<ToolOutput, { type: 'content' }>['value'][number][] = [];
  for (const { content: item } of content) {
    if (item.case === 'text') parts.push({ type: 'text', text: cutEnd(item.value.text) });
    if (item.case === 'image') {
      const { data, mimeType } = item.value;
      const base64 = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64');
      parts.push({ type: 'media', data: base64, mediaType: mimeType || 'image/png' });
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
