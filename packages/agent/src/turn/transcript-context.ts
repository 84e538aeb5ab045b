import type { agent } from '@tandem/proto';
import type { ModelMessage, TextPart } from '../model/message.ts';
import { contextSections } from '../prompt/context-sections.ts';
import { textPart } from './transcript.ts';

/**
 * What of the context a model has not been told yet, or was told otherwise. The transcript is never rewritten: news
 * come with the next user message, and the last word counts.
 * @param now for the date, ms since the epoch
 */
export function newContext(
  before: readonly ModelMessage[],
  context: agent.RequestContext | undefined,
  now: number,
): TextPart[] {
  if (!context) return [];
  const told = toldSections(before);
  const parts: TextPart[] = [];
  for (const { tag, body } of contextSections(context, now)) {
    const former = told.get(tag);
    if (!body && former === undefined) continue;
    const text = `<${tag}>\n${body || 'Nothing any more.'}\n</${tag}>`;
    if (text !== former) parts.push(textPart(text));
  }
  return parts;
}

/** The last form of each section in the transcript, by its tag. */
function toldSections(messages: readonly ModelMessage[]): Map<string, string> {
  const told = new Map<string, string>();
  for (const message of messages) {
    if (message.role !== 'user') continue;
    for (const part of message.content) {
      const tag = part.type === 'text' ? /^<([a-z_]+)>\n/.exec(part.text)?.[1] : undefined;
      if (part.type === 'text' && tag) told.set(tag, part.text);
    }
  }
  return told;
}
