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

/** What a client answers to a frame; nothing for most. */
export function answersTo(
  { message }: agent.AgentServerMessage,
  blobs: Blobs,
  refuses: (blobId: string) => boolean,
): ClientMessage[] {
  switch (message.case) {
    case 'kvServerMessage':
      return [
        {
          case: 'kvClientMessage',
          value: { id: message.value.id, message: kvAnswer(message.value, blobs, refuses) },
        },
      ];
    case 'execServerMessage': {
      const { id } = message.value;
      const requestContext = {
        env: { osVersion: 'sim 1', workspacePaths: ['/sim'], shell: 'sh', timeZone: 'UTC' },
      };
      const result = { result: { case: 'success', value: { requestContext } } } as const;
      return [
        {
          case: 'execClientMessage',
          value: { id, message: { case: 'requestContextResult', value: result } },
        },
        { case: 'execClientControlMessage', value: { message: { case: 'streamClose', value: { id } } } },
      ];
    }
    default:
      return [];
  }
}

function kvAnswer(
  { message }: agent.KvServerMessage,
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
