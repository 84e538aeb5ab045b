import type { ProviderMessage, Step } from '@tandem/test-support/provider';
import { expect, test } from 'vitest';
import { promptFor, spell, wordsIn } from '../src/index.ts';
import { answer } from './model.ts';

const prompt = promptFor({ words: 6, paceMs: 0, tools: 1 });
const said = (...indices: number[]) =>
  indices.map((index) => spell({ index, writtenAt: 1_700_000_000_000 })).join('');

/** What the model goes on to say: the numbers of its words, and the tools that it calls. */
function next(...messages: ProviderMessage[]) {
  const reply = answer({ body: { model: 'load', messages } });
  const steps: readonly Step[] = 'steps' in reply ? reply.steps : [];
  const text = steps.map((step) => (step.type === 'text' ? step.text : '')).join('');
  const tools = steps.flatMap((step) => (step.type === 'tool_call' ? [step.id] : []));
  return { words: wordsIn(text).map(({ index }) => index), tools };
}

test('a turn is said in steps, with a tool between', () => {
  const user = { role: 'user', content: `<user>${prompt}</user>` };
  expect(next(user)).toEqual({ words: [0, 1, 2], tools: ['call-0'] });
  const step = { role: 'assistant', content: said(0, 1, 2), tool_calls: [] };
  expect(next(user, step, { role: 'tool', content: 'one' })).toEqual({ words: [3, 4, 5], tools: [] });
});

test('a step that was cut off goes on behind what was said, whatever the server puts behind it', () => {
  const user = { role: 'user', content: [{ type: 'text', text: prompt }] };
  const cut = { role: 'assistant', content: said(0, 1) };
  expect(next(user, cut, { role: 'user', content: 'Go on.' })).toEqual({ words: [2], tools: ['call-0'] });
});

test('an earlier turn of the conversation does not count', () => {
  const user = { role: 'user', content: prompt };
  const earlier = [user, { role: 'assistant', content: said(0, 1, 2) }, { role: 'tool', content: 'one' }];
  expect(next(...earlier, { role: 'assistant', content: said(3, 4, 5) }, user)).toEqual({
    words: [0, 1, 2],
    tools: ['call-0'],
  });
});
