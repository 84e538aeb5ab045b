import type { ModelMessage } from './message.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

/** A message as it is stored: JSON, with its properties in the order in which the message was built. */
export function encodeMessage(message: ModelMessage): Uint8Array {
  return encoder.encode(JSON.stringify(message));
}

/**
 * Reads a stored message. Plain text where the transcript has parts is taken as one part.
 * @throws SyntaxError or TypeError when it is no message
 */
export function decodeMessage(data: Uint8Array): ModelMessage {
  const value = JSON.parse(decoder.decode(data)) as { role?: unknown; content?: unknown };
  const { role, content } = value;
  if (role === 'system' && typeof content === 'string') return value as ModelMessage;
  if (role === 'user' || role === 'assistant' || role === 'tool') {
    if (Array.isArray(content) && content.every(isPart)) return value as ModelMessage;
    if (typeof content === 'string' && role !== 'tool') {
      return { ...value, role, content: [{ type: 'text', text: content }] };
    }
  }
  throw new TypeError('not a model message');
}

function isPart(part: unknown): boolean {
  return typeof part === 'object' && part !== null && 'type' in part && typeof part.type === 'string';
}
