import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { expect, test } from 'vitest';
import { EMPTY_RECORD, record } from './turn-record.ts';

type Update = MessageInitShape<typeof agent.InteractionUpdateSchema>['message'];

const ended: Update = { case: 'turnEnded', value: { inputTokens: 3n, outputTokens: 4n } };

function recordOf(...events: ('checkpoint' | Update)[]) {
  return events.reduce((before, event) => record(before, messageOf(event)), EMPTY_RECORD);
}

function messageOf(event: 'checkpoint' | Update): agent.AgentServerMessage {
  const { AgentServerMessageSchema: schema, InteractionUpdateSchema } = agent;
  if (event === 'checkpoint') {
    return create(schema, { message: { case: 'conversationCheckpointUpdate', value: { readPaths: ['a'] } } });
  }
  const value = create(InteractionUpdateSchema, { message: event });
  return create(schema, { message: { case: 'interactionUpdate', value } });
}

test('text and thinking add up, each for itself', () => {
  const seen = recordOf(
    { case: 'thinkingDelta', value: { text: 'hm' } },
    { case: 'textDelta', value: { text: 'a' } },
    { case: 'thinkingDelta', value: { text: 'm' } },
    { case: 'textDelta', value: { text: 'b' } },
  );
  expect(seen).toMatchObject({ text: 'ab', thinking: 'hmm', turnEnded: false, checkpoint: undefined });
});

test.each([
  { what: 'checkpoint, end', events: ['checkpoint', ended], terminal: false },
  { what: 'end', events: [ended], terminal: false },
  { what: 'end, checkpoint', events: [ended, 'checkpoint'], terminal: true },
  { what: 'end, checkpoint, end', events: [ended, 'checkpoint', ended], terminal: false },
] as const)('$what: terminal is $terminal', ({ events, terminal }) => {
  expect(recordOf(...events).terminal).toBe(terminal);
});

test('usage is summed over the ends of turns', () => {
  expect(recordOf(ended, ended).usage).toEqual({
    inputTokens: 6,
    outputTokens: 8,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  });
  expect(recordOf().usage).toBeUndefined();
});
