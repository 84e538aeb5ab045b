import type { ModelEvent } from '@tandem/agent';
import { expect, test } from 'vitest';
import { playModel } from './model-port.ts';
import type { Step } from './script.ts';

async function played(steps: readonly Step[], abortAt?: number): Promise<ModelEvent[]> {
  const abort = new AbortController();
  let waits = 0;
  const delay = async () => {
    waits += 1;
    if (waits === abortAt) abort.abort();
  };
  const events: ModelEvent[] = [];
  for await (const event of playModel(steps, { signal: abort.signal, delay, deployment: 'd' }))
    events.push(event);
  return events;
}

const USAGE = {
  inputTokens: 3,
  outputTokens: 2,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};

test('an answer with thoughts and a call comes as the events of the model port', async () => {
  const events = await played([
    { type: 'usage', input: 3, output: 2 },
    { type: 'reasoning', text: 'hm' },
    { type: 'text', text: 'one' },
    { type: 'tool_call', id: 'c', name: 'read_file', arguments: ['{"path":', '"a"}'] },
  ]);
  expect(events).toEqual([
    { type: 'reasoning', text: 'hm' },
    { type: 'reasoning_end' },
    { type: 'text', text: 'one' },
    { type: 'tool_input_start', id: 'c', name: 'read_file' },
    { type: 'tool_input_delta', id: 'c', delta: '{"path":' },
    { type: 'tool_input_delta', id: 'c', delta: '"a"}' },
    { type: 'tool_call', id: 'c', name: 'read_file', input: '{"path":"a"}' },
    { type: 'finish', reason: 'tool_calls', usage: USAGE, deployment: 'd' },
  ]);
});

test.each(['cut', 'end'] as const)('one that breaks off (%s) is interrupted', async (type) => {
  const events = await played([{ type: 'text', text: 'one' }, { type }, { type: 'text', text: 'two' }]);
  expect(events.map((event) => (event.type === 'finish' ? event.reason : event.type))).toEqual([
    'text',
    'interrupted',
  ]);
});

test('nothing more is said to somebody who has left', async () => {
  const pause: Step = { type: 'delay', ms: 1 };
  const events = await played(
    [pause, { type: 'text', text: 'one' }, pause, { type: 'text', text: 'two' }],
    2,
  );
  expect(events).toEqual([{ type: 'text', text: 'one' }]);
});
