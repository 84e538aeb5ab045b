import type { ModelMessage, TextPart } from '@tandem/agent';

const LONGEST_QUOTE = 200;

export interface DemoReply {
  readonly reasoning: string;
  readonly text: string;
}

/** What the demo model says: that it is one, what it was told, and what it remembers. */
export function demoReply(messages: readonly ModelMessage[]): DemoReply {
  const said = messages.filter((message) => message.role === 'user').map(({ content }) => lastText(content));
  const latest = said.at(-1) ?? '';
  const before = said.at(-2);
  const paragraphs = [
    "I am Tandem's built-in demo model: canned text that shows the way from your client through the server and back.",
    latest === '' ? 'You sent a message without text.' : `You said: “${quote(latest)}”.`,
    before === undefined
      ? 'This is the first message of our conversation.'
      : `This is message ${said.length} of our conversation; before it you said: “${quote(before)}”.`,
    'To talk to a real model, set OPENAI_API_KEY or ANTHROPIC_API_KEY, or name a catalogue in TANDEM_MODELS_FILE.',
  ];
  return {
    reasoning: `The user has sent ${said.length === 1 ? 'one message' : `${said.length} messages`}. I will say what I am and repeat the last one.`,
    text: paragraphs.join('\n\n'),
  };
}

function lastText(content: readonly ({ readonly type: string } | TextPart)[]): string {
  const part = content.findLast((part): part is TextPart => part.type === 'text');
  return part?.text.trim() ?? '';
}

function quote(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length <= LONGEST_QUOTE ? line : `${line.slice(0, LONGEST_QUOTE).trimEnd()}…`;
}
