import { fromBinary, toBinary } from '@bufbuild/protobuf';
import type { Position } from '@tandem/actor-core';
import { agent, tandem } from '@tandem/proto';
import type { AgentItem } from '../turn/effects.ts';

/** One item as a journal keeps it: messages are bytes, so that a fold sees what was decoded. */
export type StoredItem =
  | { kind: 'command'; requestId: string; seqno: number; bytes: Uint8Array }
  | { kind: 'frame'; bytes: Uint8Array }
  | { kind: 'record'; bytes: Uint8Array }
  | Extract<AgentItem, { kind: 'attempt' | 'end' }>;

/** Local items are not stored. */
export function store(item: AgentItem): StoredItem[] {
  switch (item.kind) {
    case 'frame':
      return [{ kind: 'frame', bytes: toBinary(agent.AgentServerMessageSchema, item.message) }];
    case 'record':
      return [{ kind: 'record', bytes: toBinary(tandem.TurnRecordSchema, item.record) }];
    case 'local':
      return [];
    default:
      return [item];
  }
}

export function load(item: StoredItem, info: tandem.RequestInfo) {
  switch (item.kind) {
    case 'frame':
      return { kind: 'frame', message: fromBinary(agent.AgentServerMessageSchema, item.bytes) } as const;
    case 'record':
      return { kind: 'record', record: fromBinary(tandem.TurnRecordSchema, item.bytes) } as const;
    case 'command': {
      const message = fromBinary(agent.AgentClientMessageSchema, item.bytes);
      const { requestId, seqno } = item;
      return { kind: 'command', requestId, seqno, message, info: seqno === 0 ? info : undefined } as const;
    }
    default:
      return item;
  }
}

export interface Entry {
  readonly items: readonly StoredItem[];
}

/** Everything stored from an entry on, in order, with its place. */
export function* places(entries: readonly Entry[], from = 1): Generator<[StoredItem, Position]> {
  for (let entry = Math.max(1, from); entry <= entries.length; entry++) {
    const items = entries[entry - 1]?.items ?? [];
    for (const [item, stored] of items.entries()) yield [stored, { entry, item }];
  }
}
