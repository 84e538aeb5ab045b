import { create, toBinary } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { expect, test } from 'vitest';
import { checkMessage } from './decode-append.ts';

const heartbeat = toBinary(
  agent.AgentClientMessageSchema,
  create(agent.AgentClientMessageSchema, { message: { case: 'clientHeartbeat', value: {} } }),
);

test('a message is passed on as it came', () => {
  expect(checkMessage(heartbeat, 100)).toBe(heartbeat);
});

test('a kind of message that only newer clients know is passed on, an empty message is refused', () => {
  const field1000 = Uint8Array.of(0xc2, 0x3e, 0x01, 0x61);
  expect(checkMessage(field1000, 100)).toBe(field1000);
  expect(() => checkMessage(new Uint8Array(), 100)).toThrow('empty');
});

test('a message over the limit, and bytes that are none, are refused', () => {
  expect(() => checkMessage(heartbeat, 1)).toThrow(expect.objectContaining({ reason: 'message_too_large' }));
  expect(() => checkMessage(Uint8Array.of(0x0a, 0xff), 100)).toThrow(
    expect.objectContaining({ reason: 'malformed_message' }),
  );
});
