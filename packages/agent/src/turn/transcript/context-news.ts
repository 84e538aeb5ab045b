import type { agent } from '@tandem/proto';
import type { ModelMessage, TextPart } from '../../model/message.ts';
import { type ContextSection, contextSections } from '../../prompt/context-sections.ts';
import { modeBody } from '../context/index.ts';
import type { TurnState } from '../state.ts';
import { textPart, transcript } from './transcript.ts';

const MODE = 'mode';

/**
 * What of the context and the mode a model has not been told yet, or was told otherwise. The transcript is never
 * rewritten: news come with the next user message, and the last word counts.
 * @param context what the client tells now; undefined: nothing new
 * @param now for the date, ms since the epoch
 */
export function newContext(
  state: TurnState,
  context: agent.RequestContext | undefined,
  now: number,
): TextPart[] {
  const told = toldSections(transcript(state));
  const run = state.request?.run;
  const sections = context ? contextSections(context, run, now) : [];
  return [...sections.flatMap((section) => news(section, told)), ...modeNews(state, told)];
}

/** What a model has to be told of a mode that a tool call has switched. */
export function newMode(state: TurnState): TextPart[] {
  return modeNews(state, toldSections(transcript(state)));
}

function modeNews(state: TurnState, told: ReadonlyMap<string, string>): TextPart[] {
  const body = modeBody(state, told.has(MODE));
  return body === undefined ? [] : news({ tag: MODE, body }, told);
}

function news({ tag, body }: ContextSection, told: ReadonlyMap<string, string>): TextPart[] {
  const former = told.get(tag);
  if (!body && former === undefined) return [];
  const text = `<${tag}>\n${body || 'Nothing any more.'}\n</${tag}>`;
  return text === former ? [] : [textPart(text)];
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
