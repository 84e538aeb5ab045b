import type { ModelMessage } from '@tandem/agent';
import { formatBatches, parseBatches, type ToolBatch } from './tool-plan.ts';

/**
 * What one user message gets as its answer: a fixed number of tokens, each naming the message and its own place, with
 * calls of tools between them.
 */
export interface Script {
  readonly owner: string;
  /** Unique over a run. */
  readonly id: string;
  readonly tokens: number;
  /** Between two tokens. */
  readonly paceMs: number;
  /** In order; none after the last token. */
  readonly batches: readonly ToolBatch[];
}

const PROMPT = /<<([^|>]+)\|([^|>]+)\|(\d+)\|(\d+)\|([^|>]*)>>/;
const TOKEN = /\[([^|\]]+)\|([^|\]]+)\|(\d+)\]/g;

/** The user's text; the script is in it, so that the model finds it in any transcript. */
export function promptOf({ owner, id, tokens, paceMs, batches }: Script, padding = 0): string {
  return `<<${owner}|${id}|${tokens}|${paceMs}|${formatBatches(batches)}>>${'x'.repeat(padding)}`;
}

export function tokenOf({ owner, id }: Script, index: number): string {
  return `[${owner}|${id}|${index}]`;
}

/** A token as it was shown. */
export interface Shown {
  readonly owner: string;
  readonly id: string;
  readonly index: number;
}

/** The tokens of a text. `broken`: it is not made of whole tokens. */
export function tokensIn(text: string): { tokens: Shown[]; broken: boolean } {
  const tokens: Shown[] = [];
  let length = 0;
  for (const [whole, owner = '', id = '', index] of text.matchAll(TOKEN)) {
    tokens.push({ owner, id, index: Number(index) });
    length += whole.length;
  }
  return { tokens, broken: length !== text.length };
}

/** A call of a tool as a transcript tells it. */
export interface ToldCall {
  readonly id: string;
  /** The arguments as JSON. */
  readonly input: string;
  result: { readonly text: string; readonly failed: boolean } | undefined;
}

/** What a transcript says of one user message: its script and what the assistant said and did so far. */
export interface Exchange {
  readonly script: Script;
  readonly answered: string;
  /** Answers that ended with calls. */
  readonly batches: readonly (readonly ToldCall[])[];
}

/** A transcript as exchanges, oldest first. What users say without a script (to go on) belongs to the one before. */
export function exchangesOf(messages: readonly ModelMessage[]): Exchange[] {
  const exchanges: { script: Script; answered: string; batches: ToldCall[][] }[] = [];
  for (const message of messages) {
    if (message.role === 'user') {
      const script = scriptIn(textOf(message.content));
      if (script) exchanges.push({ script, answered: '', batches: [] });
      continue;
    }
    const last = exchanges.at(-1);
    if (!last) continue;
    if (message.role === 'assistant') {
      last.answered += textOf(message.content);
      const calls = callsOf(message.content);
      if (calls.length > 0) last.batches.push(calls);
    } else if (message.role === 'tool') {
      takeResults(last.batches.at(-1) ?? [], message.content);
    }
  }
  return exchanges;
}

function callsOf(content: Extract<ModelMessage, { role: 'assistant' }>['content']): ToldCall[] {
  return content.flatMap((part) => {
    if (part.type !== 'tool-call') return [];
    return { id: part.toolCallId, input: JSON.stringify(part.input), result: undefined };
  });
}

/** Results that are not in the order of the calls, or not of them, are left out: then their calls have none. */
function takeResults(
  calls: readonly ToldCall[],
  content: Extract<ModelMessage, { role: 'tool' }>['content'],
): void {
  for (const [index, { toolCallId, output }] of content.entries()) {
    const call = calls[index];
    if (call?.id !== toolCallId) continue;
    const text = typeof output.value === 'string' ? output.value : textOf(output.value);
    call.result = { text, failed: output.type === 'error-text' };
  }
}

function scriptIn(text: string): Script | undefined {
  const match = PROMPT.exec(text);
  if (!match) return undefined;
  const [, owner = '', id = '', tokens, paceMs, batches = ''] = match;
  return { owner, id, tokens: Number(tokens), paceMs: Number(paceMs), batches: parseBatches(batches) };
}

function textOf(parts: readonly { readonly type: string }[]): string {
  return parts.map((part) => (part.type === 'text' && 'text' in part ? String(part.text) : '')).join('');
}
