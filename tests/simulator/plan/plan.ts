import type { Behaviour } from '../clients/behaviour.ts';
import type { ToolBatch } from '../model/tool-plan.ts';
import type { PartitionMode, Weather } from '../world/network.ts';
import type { TrapPoint } from '../world/traps.ts';

/** Faults begin and end within this time of the run, a blackout aside. */
export const FAULTY_MS = 30_000;

/** One thing that goes wrong. Times in milliseconds of the run. */
export type Fault =
  | { readonly kind: 'crash'; readonly target: string; readonly at: number; readonly downMs: number }
  /** Dies at an operation that the engine carries out and never answers. */
  | {
      readonly kind: 'trap';
      readonly target: string;
      readonly at: number;
      readonly point: Exclude<TrapPoint, 'claim'>;
      readonly nth: number;
      readonly downMs: number;
    }
  /** Is cut off from the engines as it claims a journal: the claim arrives when somebody else may have made his. */
  | {
      readonly kind: 'stuck claim';
      readonly target: string;
      readonly at: number;
      readonly nth: number;
      readonly ms: number;
    }
  | { readonly kind: 'pause'; readonly target: string; readonly at: number; readonly ms: number }
  | {
      readonly kind: 'drain';
      readonly target: string;
      readonly at: number;
      readonly graceMs: number;
      readonly downMs: number;
    }
  | {
      readonly kind: 'partition';
      readonly a: string;
      readonly b: string;
      readonly mode: PartitionMode;
      readonly at: number;
      readonly ms: number;
    }
  | { readonly kind: 'weather'; readonly at: number; readonly ms: number; readonly weather: Weather }
  | {
      readonly kind: 'lag';
      readonly at: number;
      readonly ms: number;
      readonly lagMs: number;
      readonly liveLoss: number;
      readonly interestMs: number;
    }
  | { readonly kind: 'nats down' | 'no leader' | 'store full'; readonly at: number; readonly ms: number }
  | {
      readonly kind: 'redis down';
      readonly at: number;
      readonly ms: number;
      readonly loses: 'nothing' | 'leases' | 'all';
    }
  /** Both engines are gone, for longer than a heartbeat may hide it. */
  | { readonly kind: 'blackout'; readonly at: number; readonly ms: number }
  /** A user's machine dies, or its connections break. */
  | { readonly kind: 'client killed' | 'client cut'; readonly target: string; readonly at: number };

/** A turn that a client is to hold. */
export interface TurnPlan {
  readonly conversation: number;
  /** After the conversation's turn before has ended, or while it may still run. */
  readonly start: { readonly after: 'previous' | 'start'; readonly ms: number };
  /** Uses the request id of the conversation's turn before again: its next generation. */
  readonly sameRequest: boolean;
  readonly tokens: number;
  readonly paceMs: number;
  readonly batches: readonly ToolBatch[];
  readonly behaviour: Behaviour;
}

/** All that a seed decides. */
export interface Plan {
  readonly seed: number;
  readonly workers: number;
  readonly gateways: number;
  /** Largest skew between two clocks. */
  readonly skewMs: number;
  readonly maxRecordBytes: number;
  readonly retentionMs: number;
  readonly modelCutChance: number;
  /** By client machine: whose it is, which of theirs, and what is said on it. */
  readonly clients: readonly {
    readonly owner: string;
    readonly ordinal: number;
    readonly turns: readonly TurnPlan[];
  }[];
  readonly faults: readonly Fault[];
  /** From here on nothing goes wrong any more. */
  readonly calmFrom: number;
}
