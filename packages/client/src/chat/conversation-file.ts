import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { MemoryBlobStore } from '../answers/blob-store.ts';
import { UsageError } from './chat-options.ts';

/** All that a client remembers of a conversation. */
export interface Conversation {
  readonly conversationId: string;
  /** 64 hex digits. */
  readonly encryptionKey: string;
  readonly state: agent.ConversationStateStructure | undefined;
  readonly blobs: MemoryBlobStore;
}

interface Stored {
  version: 1;
  conversationId: string;
  encryptionKey: string;
  /** Base64 of the state's bytes; absent before the first checkpoint. */
  state?: string;
  /** Base64 of each blob, by its id in hex. */
  blobs: Record<string, string>;
}

/** A conversation that has not begun. */
export function newConversation(): Conversation {
  return {
    conversationId: randomUUID(),
    encryptionKey: randomBytes(32).toString('hex'),
    state: undefined,
    blobs: new MemoryBlobStore(),
  };
}

/** The conversation kept in a file, or a new one when there is no such file. @throws UsageError when it is something else */
export function loadConversation(path: string): Conversation {
  if (!existsSync(path)) return newConversation();
  try {
    return decode(JSON.parse(readFileSync(path, 'utf8')) as Stored);
  } catch (cause) {
    throw new UsageError(`${path} holds no conversation`, { cause });
  }
}

/** Keeps a conversation, readable by its owner only. The file is whole at any time. */
export function saveConversation(path: string, conversation: Conversation): void {
  const next = `${path}.${process.pid}.tmp`;
  writeFileSync(next, JSON.stringify(encode(conversation)), { mode: 0o600 });
  renameSync(next, path);
}

function encode({ conversationId, encryptionKey, state, blobs }: Conversation): Stored {
  return {
    version: 1,
    conversationId,
    encryptionKey,
    state: state && base64(toBinary(agent.ConversationStateStructureSchema, state)),
    blobs: Object.fromEntries([...blobs.entries()].map(([id, data]) => [id, base64(data)])),
  };
}

function decode({ version, conversationId, encryptionKey, state, blobs }: Stored): Conversation {
  if (version !== 1) throw new Error(`unknown version ${version}`);
  const store = new MemoryBlobStore();
  for (const [id, data] of Object.entries(blobs))
    store.set(Buffer.from(id, 'hex'), Buffer.from(data, 'base64'));
  return {
    conversationId,
    encryptionKey,
    state:
      state === undefined
        ? undefined
        : fromBinary(agent.ConversationStateStructureSchema, Buffer.from(state, 'base64')),
    blobs: store,
  };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
