import type { ModelMessage } from '@tandem/agent';

/** What one user message gets as its answer: a fixed number of tokens, each naming the message and its own place. */
export interface Script {
  readonly owner: string;
  /** Unique over a run. */
  readonly id: string;
  readonly tokens: number;
  /** Between two tokens. */
  readonly paceMs: number;
}

const PROMPT = /<<([^|>]+)\|([^|>]+)\|(\d+)\|(\d+)>>/;
const TOKEN = /\[([^|\]]+)\|([^|\]]+)\|(\d+)\]/g;

/** The user's text; the script is in it, so that the model finds it in any transcript. */
export function promptOf({ owner, id, tokens, paceMs }: Script, padding = 0): string {
  return `<<${owner}|${id}|${tokens}|${paceMs}>>${'x'.repeat(padding)}`;
}

export function tokenOf({ owner, id }: Script, index: number): string {
  return `[${owner}|${id}|${index}]`;
}

export function answerOf(script: Script): string {
  return Array.from({ length: script.tokens }, (_, index) => tokenOf(script, index)).join('');
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

/** What a transcript says of one user message: its script and what the assistant said to it so far. */
export interface Exchange {
  readonly script: Script;
  readonly answered: string;
}

/** A transcript as exchanges, oldest first. What users say without a script (to go on) belongs to the one before. */
export function exchangesOf(messages: readonly ModelMessage[]): Exchange[] {
  const exchanges: { script: Script; answered: string }[] = [];
  for (const message of messages) {
    if (message.role === 'user') {
      const script = scriptIn(textOf(message.content));
      if (script) exchanges.push({ script, answered: '' });
    } else if (message.role === 'assistant') {
      const last = exchanges.at(-1);
      if (last) last.answered += textOf(message.content);
    }
  }
  return exchanges;
}

function scriptIn(text: string): Script | undefined {
  const match = PROMPT.exec(text);
  if (!match) return undefined;
  const [, owner = '', id = '', tokens, paceMs] = match;
  return { owner, id, tokens: Number(tokens), paceMs: Number(paceMs) };
}

function textOf(parts: readonly { readonly type: string }[]): string {
  return parts.map((part) => (part.type === 'text' && 'text' in part ? String(part.text) : '')).join('');
}
