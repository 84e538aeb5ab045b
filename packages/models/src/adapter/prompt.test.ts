import type { ModelMessage } from '@tandem/agent';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markCachePoints } from './call-options.ts';
import type { Family } from './family.ts';
import { toPrompt } from './prompt.ts';

const FAMILIES: readonly Family[] = [
  'openai-chat',
  'openai-responses',
  'openai-compatible',
  'anthropic',
  'azure-responses',
  'google',
  'google-vertex',
  'bedrock',
];

const text = fc.record({ type: fc.constant('text' as const), text: fc.string() });
const image = fc.record({
  type: fc.constant('image' as const),
  image: fc.base64String(),
  mediaType: fc.constant('image/png'),
});
const owner = fc.constantFrom(
  'anthropic',
  'openai',
  'compatible',
  'azure',
  'google',
  'googleVertex',
  'bedrock',
);
const reasoning = fc.record(
  {
    type: fc.constant('reasoning' as const),
    text: fc.string(),
    providerOptions: owner.map((name) => ({ [name]: { signature: 's' } })),
  },
  { requiredKeys: ['type', 'text'] },
);
const toolCall = fc.record({
  type: fc.constant('tool-call' as const),
  toolCallId: fc.string(),
  toolName: fc.string(),
  input: fc.jsonValue(),
});
const media = fc.record({
  type: fc.constant('media' as const),
  data: fc.base64String(),
  mediaType: fc.constant('image/png'),
});
const toolResult = fc.record({
  type: fc.constant('tool-result' as const),
  toolCallId: fc.string(),
  toolName: fc.string(),
  output: fc.oneof(
    fc.record({ type: fc.constantFrom('text' as const, 'error-text' as const), value: fc.string() }),
    fc.record({ type: fc.constant('content' as const), value: fc.array(fc.oneof(text, media)) }),
  ),
});
const message: fc.Arbitrary<ModelMessage> = fc.oneof(
  fc.record({ role: fc.constant('system' as const), content: fc.string() }),
  fc.record({ role: fc.constant('user' as const), content: fc.array(fc.oneof(text, image)) }),
  fc.record({
    role: fc.constant('assistant' as const),
    content: fc.array(fc.oneof(text, reasoning, toolCall)),
  }),
  fc.record({ role: fc.constant('tool' as const), content: fc.array(toolResult, { minLength: 1 }) }),
);
const options = fc.record({ family: fc.constantFrom(...FAMILIES), supportsImages: fc.boolean() });

describe('toPrompt', () => {
  it('of a longer transcript begins with that of a shorter one', () => {
    fc.assert(
      fc.property(fc.array(message), fc.array(message), options, (before, after, how) => {
        const short = toPrompt(before, how);
        const long = toPrompt([...before, ...after], how);
        expect(JSON.stringify(long.slice(0, short.length))).toBe(JSON.stringify(short));
      }),
    );
  });

  it('says the same of what was stored and read again', () => {
    fc.assert(
      fc.property(fc.array(message), options, (messages, how) => {
        const again = JSON.parse(JSON.stringify(messages)) as ModelMessage[];
        expect(JSON.stringify(toPrompt(again, how))).toBe(JSON.stringify(toPrompt(messages, how)));
      }),
    );
  });

  it('holds no part and no message without content', () => {
    fc.assert(
      fc.property(fc.array(message), options, (messages, how) => {
        for (const { content } of toPrompt(messages, how)) {
          expect(content.length).toBeGreaterThan(0);
          for (const part of content) {
            if (typeof part === 'object' && part.type === 'text') expect(part.text.trim()).not.toBe('');
          }
        }
      }),
    );
  });

  it('sends reasoning back to its own kind only', () => {
    const said: ModelMessage = {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'signed', providerOptions: { anthropic: { signature: 's' } } },
        {
          type: 'reasoning',
          text: 'sealed',
          providerOptions: { openai: { reasoningEncryptedContent: 'x' } },
        },
        { type: 'reasoning', text: 'plain' },
        { type: 'text', text: 'answer' },
      ],
    };
    const texts = FAMILIES.map((family) =>
      toPrompt([said], { family, supportsImages: true }).flatMap(({ content }) =>
        [...content].map((part) => (part as { text: string }).text),
      ),
    );
    expect(texts).toEqual([
      ['answer'],
      ['sealed', 'answer'],
      ['plain', 'answer'],
      ['signed', 'answer'],
      ['answer'],
      ['answer'],
      ['answer'],
      ['answer'],
    ]);
  });
});

describe('markCachePoints', () => {
  it('marks the end of the system prompt and the newest two messages of the user’s side, and changes nothing else', () => {
    const prompt = toPrompt(
      [
        { role: 'system', content: 'a' },
        { role: 'system', content: 'b' },
        ...['c', 'd', 'e'].flatMap((word): ModelMessage[] => [
          { role: 'user', content: [{ type: 'text', text: word }] },
          { role: 'assistant', content: [{ type: 'text', text: word }] },
        ]),
      ],
      { family: 'anthropic', supportsImages: true },
    );
    const marked = markCachePoints(prompt);
    expect(marked.flatMap(({ providerOptions }, index) => (providerOptions ? [index] : []))).toEqual([
      1, 4, 6,
    ]);
    expect(marked.map(({ providerOptions: _, ...rest }) => rest)).toEqual(prompt);
  });

  it('takes an empty prompt', () => {
    expect(markCachePoints([])).toEqual([]);
  });
});
