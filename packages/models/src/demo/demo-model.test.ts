import type { ModelEvent, ModelMessage } from '@tandem/agent';
import type { Clock } from '@tandem/errors';
import { expect, test } from 'vitest';
import { streamDemo } from './demo-model.ts';

const said = (text: string): ModelMessage => ({ role: 'user', content: [{ type: 'text', text }] });

/** Time that passes as soon as somebody waits for it. */
function quickClock(): Clock {
  let now = 0;
  return {
    now: () => now,
    after: (ms, run) => {
      const timer = setImmediate(() => {
        now += ms;
        run();
      });
      return { cancel: () => clearImmediate(timer) };
    },
  };
}

const call = (messages: readonly ModelMessage[]) => ({
  model: 'demo',
  messages,
  tools: [],
  parameters: {},
  conversationId: 'c',
});

async function answer(
  messages: readonly ModelMessage[],
  signal = new AbortController().signal,
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of streamDemo(call(messages), 'demo', quickClock(), signal)) events.push(event);
  return events;
}

const textOf = (events: readonly ModelEvent[]) =>
  events.map((event) => (event.type === 'text' ? event.text : '')).join('');

test('thinks first, says what it is and what it was told, word by word', async () => {
  const events = await answer([said('  hello\n there ')]);
  expect(events[0]?.type).toBe('reasoning');
  expect(events.findIndex(({ type }) => type === 'reasoning_end')).toBeLessThan(
    events.findIndex(({ type }) => type === 'text'),
  );
  expect(textOf(events)).toMatch(/demo model/);
  expect(textOf(events)).toContain('“hello there”');
  expect(textOf(events)).toContain('first message');
  expect(events.filter(({ type }) => type === 'text').length).toBeGreaterThan(20);
});

test('shows what it remembers', async () => {
  const text = textOf(
    await answer([
      said('my name is Ada'),
      { role: 'assistant', content: [{ type: 'text', text: 'hi' }] },
      said('and now?'),
    ]),
  );
  expect(text).toContain('message 2 of our conversation');
  expect(text).toContain('“my name is Ada”');
});

test('counts tokens of what it read and wrote', async () => {
  const end = (await answer([said('x'.repeat(4000))])).at(-1);
  expect(end).toMatchObject({ type: 'finish', reason: 'stop', deployment: 'demo' });
  if (end?.type !== 'finish') return;
  expect(end.usage.inputTokens).toBeGreaterThan(1000);
  expect(end.usage.outputTokens).toBeGreaterThan(end.usage.reasoningTokens);
});

test('stops when it is told to', async () => {
  const abort = new AbortController();
  const reason = new Error('enough');
  const events = streamDemo(call([said('hi')]), 'demo', quickClock(), abort.signal);
  await events.next();
  abort.abort(reason);
  await expect(events.next()).rejects.toBe(reason);
});
