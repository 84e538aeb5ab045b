import type { agent } from '@tandem/proto';
import type {
  AssistantMessage,
  ImagePart,
  ModelMessage,
  TextPart,
  ToolMessage,
  ToolResultPart,
  UserMessage,
} from '../model/message.ts';

/**
 * A conversation that was held elsewhere, as a transcript of ours. Providers refuse calls without results and results
 * without calls: a missing result is said to be missing, a result of no call is told as text.
 */
export function historyMessages({ messages }: agent.ConversationHistory): ModelMessage[] {
  const transcript: ModelMessage[] = [];
  let open = new Map<string, string>();
  let results: ToolResultPart[] = [];
  const close = () => {
    for (const [toolCallId, toolName] of open) {
      results.push(resultOf(toolCallId, toolName, { type: 'error-text', value: 'There is no result.' }));
    }
    if (results.length > 0) transcript.push({ role: 'tool', content: results } satisfies ToolMessage);
    results = [];
    open = new Map();
  };
  for (const { message } of messages) {
    if (message.case === 'tool' && open.has(message.value.toolCallId)) {
      const { toolCallId, toolName } = message.value;
      const name = open.get(toolCallId) || toolName;
      open.delete(toolCallId);
      results.push(resultOf(toolCallId, name, outputOf(message.value)));
      continue;
    }
    close();
    if (message.case === 'tool') {
      const text = `Result of ${message.value.toolName || 'a tool'}:\n${textOf(message.value.content)}`;
      transcript.push({ role: 'user', content: [{ type: 'text', text }] });
    } else if (message.case === 'user') transcript.push(userMessage(message.value));
    else if (message.case === 'assistant') {
      const answer = assistantMessage(message.value);
      if (answer.content.length === 0) continue;
      transcript.push(answer);
      for (const part of answer.content) {
        if (part.type === 'tool-call') open.set(part.toolCallId, part.toolName);
      }
    }
  }
  close();
  return transcript;
}

function userMessage({ content }: agent.ConversationHistoryUserMessage): UserMessage {
  const parts = content.flatMap<TextPart | ImagePart>(({ content: part }) => {
    if (part.case === 'text') return [{ type: 'text', text: part.value.text }];
    if (part.case !== 'image') return [];
    const { data, mimeType } = part.value;
    return [{ type: 'image', image: data, mediaType: mimeType || 'image/png' }];
  });
  return { role: 'user', content: parts.length > 0 ? parts : [{ type: 'text', text: '(no text)' }] };
}

/** Reasoning is left out: only the model that wrote it could take it back. */
function assistantMessage({ content }: agent.ConversationHistoryAssistantMessage): AssistantMessage {
  const parts: AssistantMessage['content'][number][] = [];
  for (const { content: part } of content) {
    if (part.case === 'text' && part.value.text) parts.push({ type: 'text', text: part.value.text });
    else if (part.case === 'toolCall') {
      const { toolCallId, toolName, argsJson } = part.value;
      parts.push({ type: 'tool-call', toolCallId, toolName, input: parsed(argsJson) });
    }
  }
  return { role: 'assistant', content: parts };
}

function parsed(json: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(json || '{}');
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // Kept as it is, in an object: providers take nothing else.
  }
  return { arguments: json };
}

function resultOf(toolCallId: string, toolName: string, output: ToolResultPart['output']): ToolResultPart {
  return { type: 'tool-result', toolCallId, toolName, output };
}

function outputOf({ content, isError }: agent.ConversationHistoryToolMessage): ToolResultPart['output'] {
  if (isError) return { type: 'error-text', value: textOf(content) };
  if (!content.some(({ content: part }) => part.case === 'image')) {
    return { type: 'text', value: textOf(content) };
  }
  return {
    type: 'content',
    value: content.flatMap<Shown>(({ content: part }) => {
      if (part.case === 'text') return [{ type: 'text', text: part.value.text }];
      if (part.case !== 'image') return [];
      return [{ type: 'media', data: part.value.data, mediaType: part.value.mimeType || 'image/png' }];
    }),
  };
}

type Shown = TextPart | { readonly type: 'media'; readonly data: string; readonly mediaType: string };

function textOf(content: readonly agent.ConversationHistoryToolResultContent[]): string {
  return content.map(({ content: part }) => (part.case === 'text' ? part.value.text : '')).join('\n');
}
