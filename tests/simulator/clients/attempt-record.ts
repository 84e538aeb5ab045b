import type { agent } from '@tandem/proto';
import type { ToolBatch } from '../model/tool-plan.ts';
import type { Behaviour } from './behaviour.ts';
import type { Effect } from './machine.ts';

/** What a client saw of one stream of an attempt. */
export interface StreamRecord {
  readonly requestId: string;
  /** Ms of the run. */
  readonly openedAt: number;
  /** Frames the client said to have when it opened the stream. */
  readonly received: number;
  /** Of frames that are no heartbeat, as they came, EndStream included. */
  readonly frames: Uint8Array[];
  /** When each of them came, ms of the run. */
  readonly times: number[];
  /** When heartbeats came, ms of the run. */
  readonly heartbeats: number[];
  endStream: boolean;
  over: 'end' | 'cut' | 'closed' | undefined;
}

/** One append of an attempt. */
interface AppendRecord {
  readonly seqno: number;
  readonly message: Uint8Array;
  /** How often it was sent. */
  tries: number;
  /** When it was answered, ms of the run; undefined: never, or with an error. */
  acknowledgedAt: number | undefined;
}

/** One try at a turn. */
export interface AttemptRecord {
  readonly requestId: string;
  readonly startedAt: number;
  /** The checkpoint it sent, if it resumed. */
  readonly resumedFrom: agent.ConversationStateStructure | undefined;
  readonly streams: StreamRecord[];
  readonly appends: AppendRecord[];
  /** Text shown in this attempt. */
  text: string;
  checkpoint: agent.ConversationStateStructure | undefined;
  turnEnded: boolean;
  terminal: boolean;
  /** How it ended: undefined while it runs. */
  end: AttemptEnd | undefined;
}

export type AttemptEnd =
  | { readonly kind: 'well' }
  | { readonly kind: 'transport' | 'server' | 'final'; readonly reason: string };

/** A turn as its client saw it. */
export interface TurnRecord {
  readonly owner: string;
  readonly conversation: string;
  readonly originalRequestId: string;
  /** The script's id. */
  readonly script: string;
  readonly tokens: number;
  readonly batches: readonly ToolBatch[];
  readonly client: string;
  readonly behaviour: Behaviour;
  readonly attempts: AttemptRecord[];
  status: 'running' | 'finished' | 'failed' | 'canceled' | 'killed';
  endedAt: number | undefined;
  /** Blobs the client has after it, by id in hex. */
  readonly blobs: ReadonlyMap<string, Uint8Array>;
  /** What was done on the client's machine. */
  readonly effects: readonly Effect[];
  checkpoint: agent.ConversationStateStructure | undefined;
}
