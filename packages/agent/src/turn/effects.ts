import type { NewItem } from '@tandem/actor-core';
import type { TandemError } from '@tandem/errors';
import type { ModelCall, ModelEvent, Models } from '../model/port.ts';
import type { Job, JobResult } from '../web/port.ts';

/** A blob with its id, the SHA-256 of its data in lower-case hex. */
export interface Blob {
  readonly id: string;
  readonly data: Uint8Array;
}

/** What a turn asks of the process that runs it, beside the runtime's own effects. */
export type AgentEffect =
  | {
      readonly type: 'model_call';
      readonly call: number;
      readonly request: ModelCall;
      /** The turn is a subagent's, run by a client for a turn that waits for it. */
      readonly subagent: boolean;
    }
  /** Ends a model call; nothing it still yields matters. */
  | { readonly type: 'abort_model'; readonly call: number }
  /** Does something for a tool call; `job_done` follows unless it is aborted. */
  | { readonly type: 'run_job'; readonly name: string; readonly job: Job }
  | { readonly type: 'abort_job'; readonly name: string }
  /** Looks blobs up in the server's cache; only asked of clients that sent an encryption key. */
  | { readonly type: 'load_blobs'; readonly ids: readonly string[] }
  /** Keeps blobs in the server's cache; best effort, no result. */
  | { readonly type: 'cache_blobs'; readonly blobs: readonly Blob[] };

/** What a turn waits for no longer than a while. */
export type AgentTimer =
  /** For an answer to the blob requests that are out. */
  | { readonly type: 'blobs' }
  | { readonly type: 'request_context' }
  /** For the client to have what a turn that ends has brought. */
  | { readonly type: 'ending' }
  | { readonly type: 'user_shell' }
  /** For the answer to a request of a tool call, or (`started`) for the end of what it has begun. */
  | { readonly type: 'exec'; readonly id: number; readonly started: boolean }
  /** A tool call goes on after a pause. */
  | { readonly type: 'pause'; readonly wait: string };

/** Names a timer: one of a name runs at a time. */
export function timerName(timer: AgentTimer): string {
  switch (timer.type) {
    case 'exec':
      return `exec:${timer.id}${timer.started ? ':run' : ''}`;
    case 'pause':
      return `pause:${timer.wait}`;
    default:
      return timer.type;
  }
}

export type AgentResult =
  | { readonly type: 'timer'; readonly timer: AgentTimer }
  | { readonly type: 'model_event'; readonly call: number; readonly event: ModelEvent }
  /** For the user, from the server itself; no part of the answer. */
  | { readonly type: 'notice'; readonly text: string }
  | { readonly type: 'model_failed'; readonly call: number; readonly error: TandemError }
  | { readonly type: 'job_done'; readonly name: string; readonly result: JobResult }
  | {
      readonly type: 'blobs_loaded';
      readonly found: ReadonlyMap<string, Uint8Array>;
      readonly missing: readonly string[];
    };

/** What only this process knows: a takeover forgets it, and `advance` then starts again what it stands for. */
export type AgentLocal =
  | { readonly type: 'model_running'; readonly call: number }
  | { readonly type: 'cache_asked' }
  | { readonly type: 'blobs_loaded'; readonly found: ReadonlyMap<string, Uint8Array> }
  | { readonly type: 'activating' }
  | { readonly type: 'timer'; readonly timer: AgentTimer; readonly running: boolean }
  | { readonly type: 'job'; readonly name: string; readonly running: boolean }
  /** The client took too long to confirm what the end waits for. */
  | { readonly type: 'overdue' };

export type AgentItem = NewItem<AgentLocal>;

export interface AgentLimits {
  /** How long a client may take to tell its request context, in ms; then the turn goes on without. */
  readonly contextMs: number;
  /**
   * How long a client may go without answering any of the blob requests that are out, in ms. More than the minute after
   * which clients themselves give up an append and try the turn again.
   */
  readonly blobMs: number;
  /** How long a failed or canceled turn waits for its last blobs to be confirmed, in ms. */
  readonly endingMs: number;
  /** How many blobs are asked of a client at once. */
  readonly blobsAsked: number;
  /** How often in a row a model's broken off (or cut off) answer is continued. */
  readonly continuations: number;
}

export const AGENT_LIMITS: AgentLimits = Object.freeze({
  contextMs: 10_000,
  blobMs: 90_000,
  endingMs: 5_000,
  blobsAsked: 64,
  continuations: 2,
});

/** What the server itself can do for tools. */
export interface ServerTools {
  readonly webFetch: boolean;
  readonly webSearch: boolean;
}

export interface AgentConfig {
  readonly models: Pick<Models, 'find'>;
  readonly serverTools: ServerTools;
  readonly limits: AgentLimits;
}
