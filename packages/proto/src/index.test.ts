import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { expect, expectTypeOf, test } from 'vitest';
import { agent, aiserver, tandem } from './index.ts';

test('a namespace has both the schemas and the types of its proto package', () => {
  const message: agent.AgentServerMessage = create(agent.AgentServerMessageSchema, {
    message: {
      case: 'interactionUpdate',
      value: { message: { case: 'textDelta', value: { text: 'hello' } } },
    },
  });
  const update = message.message.case === 'interactionUpdate' ? message.message.value : undefined;

  expectTypeOf(update).toEqualTypeOf<agent.InteractionUpdate | undefined>();
  expect(
    fromBinary(agent.AgentServerMessageSchema, toBinary(agent.AgentServerMessageSchema, message)),
  ).toEqual(message);
});

test('field numbers on the wire are those of the public protocol', () => {
  const append = create(aiserver.BidiAppendRequestSchema, {
    data: 'a',
    requestId: { requestId: 'r' },
    appendSeqno: 3n,
  });

  const bytes = toBinary(aiserver.BidiAppendRequestSchema, append);

  expect(Array.from(bytes)).toEqual([0x0a, 1, 0x61, 0x12, 3, 0x0a, 1, 0x72, 0x18, 3]);
});

test('services know their methods and paths', () => {
  const { runSSE } = agent.AgentService.method;

  expect(`${agent.AgentService.typeName}/${runSSE.name}`).toBe('agent.v1.AgentService/RunSSE');
  expect(runSSE.methodKind).toBe('server_streaming');
  expect(runSSE.input.typeName).toBe(aiserver.BidiRequestIdSchema.typeName);
});

test('the internal wire is there', () => {
  expect(tandem.CommandSchema.typeName).toBe('tandem.v1.Command');
});
