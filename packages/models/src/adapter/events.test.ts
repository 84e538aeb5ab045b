import {
  InvalidResponseDataError,
  type LanguageModelV4StreamPart,
  TypeValidationError,
} from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { createEventMapper } from './events.ts';

const usage = {
  inputTokens: { total: 30, noCache: undefined, cacheRead: 10, cacheWrite: undefined },
  outputTokens: { total: 5, text: undefined, reasoning: undefined },
};
const finished = (unified: 'stop' | 'interrupted' | 'error'): LanguageModelV4StreamPart => ({
  type: 'finish',
  finishReason: { unified, raw: undefined },
  usage,
});
const call: LanguageModelV4StreamPart = { type: 'tool-call', toolCallId: 'a', toolName: 't', input: '{}' };

test('merges what a provider attaches to a block of reasoning, piece by piece', () => {
  const mapper = createEventMapper('openai-responses', () => false);
  mapper.push({ type: 'reasoning-start', id: '0', providerMetadata: { openai: { itemId: 'rs_1' } } });
  expect(mapper.push({ type: 'reasoning-delta', id: '0', delta: 'hm' })).toEqual([
    { type: 'reasoning', text: 'hm' },
  ]);
  const end = { type: 'reasoning-end', id: '0', providerMetadata: { openai: { sealed: 'x' } } } as const;
  expect(mapper.push(end)).toEqual([
    { type: 'reasoning_end', providerOptions: { openai: { itemId: 'rs_1', sealed: 'x' } } },
  ]);
});

test('says nothing of a block of reasoning that holds nothing', () => {
  const mapper = createEventMapper('anthropic', () => false);
  mapper.push({ type: 'reasoning-start', id: '0' });
  expect(mapper.push({ type: 'reasoning-end', id: '0' })).toEqual([]);
});

test('passes a call on when something follows it, and the last one when the answer is whole', () => {
  const mapper = createEventMapper('anthropic', () => false);
  expect(mapper.push(call)).toEqual([]);
  const next = mapper.push({ type: 'tool-input-start', id: 'b', toolName: 'u' });
  expect(next.map(({ type }) => type)).toEqual(['tool_call', 'tool_input_start']);
  mapper.push({ ...call, toolCallId: 'b' });
  mapper.push(finished('stop'));
  expect(mapper.end()).toMatchObject({ events: [{ type: 'tool_call', id: 'b' }], reason: 'tool_calls' });
});

test('counts prompt tokens without those of the cache', () => {
  const mapper = createEventMapper('anthropic', () => false);
  mapper.push(finished('stop'));
  expect(mapper.end().usage).toEqual({
    inputTokens: 20,
    outputTokens: 5,
    cacheReadTokens: 10,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  });
});

test.each([
  ['a finish reason', true, false, 'stop'],
  ['the end marker', false, true, 'stop'],
  ['neither', false, false, 'interrupted'],
])('a chat stream that ended with %s', (_, reason, done, expected) => {
  const mapper = createEventMapper('openai-compatible', () => done);
  mapper.push({ type: 'raw', rawValue: { choices: [{ finish_reason: reason ? 'stop' : null }] } });
  mapper.push({
    type: 'error',
    error: new InvalidResponseDataError({ data: undefined, message: 'no finish reason' }),
  });
  mapper.push(finished('error'));
  expect(mapper.end().reason).toBe(expected);
});

test.each([
  ['something that holds nothing of the answer', { usage: {} }, 'stop'],
  ['a part of the answer that makes no sense', { choices: 'x' }, 'error'],
])('a chat stream with %s', (_, value, expected) => {
  const mapper = createEventMapper('openai-compatible', () => true);
  mapper.push({ type: 'error', error: new TypeValidationError({ value, cause: undefined }) });
  expect(mapper.end().reason).toBe(expected);
});

test('an Anthropic stream without an end is interrupted', () => {
  const mapper = createEventMapper('anthropic', () => false);
  mapper.push({ type: 'text-delta', id: '0', delta: 'a' });
  expect(mapper.end().reason).toBe('interrupted');
  mapper.push(finished('interrupted'));
  expect(mapper.end().reason).toBe('interrupted');
});

test.each([
  [undefined, 'stop', 'stop'],
  ['max_output_tokens', 'length', 'length'],
  ['something_new', 'other', 'interrupted'],
] as const)('a response of OpenAI that is incomplete for %s', (raw, unified, expected) => {
  const mapper = createEventMapper('openai-responses', () => false);
  mapper.push({ type: 'finish', finishReason: { unified, raw }, usage });
  expect(mapper.end().reason).toBe(expected);
});
