import { createHash } from 'node:crypto';
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';

export type ClientMessage = MessageInitShape<typeof agent.AgentClientMessageSchema>['message'];

/** The blobs of one client's conversations, by id in hex. */
export class Blobs {
  readonly data = new Map<string, Uint8Array>();
  /** Ids that were refused, once each. */
  readonly refused = new Set<string>();

  put(id: Uint8Array, data: Uint8Array): void {
    this.data.set(hex(id), data);
  }
}

/** What a client answers to a question about a blob. */
export function kvAnswerTo(
  { id, message }: agent.KvServerMessage,
  blobs: Blobs,
  refuses: (blobId: string) => boolean,
): ClientMessage {
  return { case: 'kvClientMessage', value: { id, message: kvAnswer(message, blobs, refuses) } };
}

function kvAnswer(
  message: agent.KvServerMessage['message'],
  blobs: Blobs,
  refuses: (blobId: string) => boolean,
): MessageInitShape<typeof agent.KvClientMessageSchema>['message'] {
  if (message.case === 'getBlobArgs') {
    return { case: 'getBlobResult', value: { blobData: blobs.data.get(hex(message.value.blobId)) } };
  }
  if (message.case !== 'setBlobArgs') return undefined;
  const { blobId, blobData } = message.value;
  if (refuses(hex(blobId))) return { case: 'setBlobResult', value: { error: { message: 'no room' } } };
  blobs.put(blobId, blobData);
  return { case: 'setBlobResult', value: {} };
}

export function encode(message: ClientMessage): Uint8Array {
  return toBinary(agent.AgentClientMessageSchema, create(agent.AgentClientMessageSchema, { message }));
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
