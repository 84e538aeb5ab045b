import type { Tracer } from '@opentelemetry/api';
import {
  type Clock,
  type DispatchQueue,
  type Entropy,
  type Leases,
  type Log,
  type Retention,
  type Signals,
  TURN_LIMITS,
  TurnHost,
  type TurnLimits,
} from '@tandem/actor-core';
import { createAgent, type Web } from '@tandem/agent';
import type { ConfiguredModels } from '@tandem/models';
import { type BlobStore, sealedBlobCache } from './blob-cache/blob-cache.ts';
import { agentEffects } from './effects/agent-effects.ts';
import { createCallGate, type GateDeps, OPEN_GATE } from './limits/call-gate.ts';
import type { WorkerObservers } from './metrics/worker-metrics.ts';
import type { ModelSlots } from './model-slots/model-slots.ts';
import { tracedModels } from './tracing/model-calls.ts';
import { TurnTraces } from './tracing/turn-traces.ts';
import { TurnWatch, tellAll } from './watch/turn-watch.ts';

export interface WorkerDeps {
  readonly workerId: string;
  readonly log: Log;
  readonly signals: Signals;
  readonly leases: Leases;
  readonly retention: Retention;
  readonly queue: DispatchQueue;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly models: ConfiguredModels;
  readonly slots: ModelSlots;
  readonly blobStore: BlobStore;
  readonly observers: WorkerObservers;
  readonly onBlobCacheFault: (error: unknown) => void;
  /** Absent: turns are not traced. With `contents`, prompts and answers are part of the traces. */
  readonly tracing?: { readonly tracer: Tracer; readonly contents: boolean } | undefined;
  /** Absent: turns have no tools for the web. */
  readonly web?: Web;
  /** Absent: nothing is limited or counted. */
  readonly usage?: Pick<GateDeps, 'ledger' | 'policies' | 'costOf' | 'observer'>;
  readonly limits?: TurnLimits;
}

export interface Worker {
  start(): Promise<void>;
  /** Takes no new turns, lets running ones finish for the grace period (milliseconds), hands the rest over. */
  drain(graceMs: number): Promise<void>;
  /** Turns that run here now. */
  readonly turns: number;
}

const NO_WEB: Web = { fetch: undefined, search: undefined };

/** A process's worker: hosts the actors of the turns that its queue hands out. */
export function createWorker(deps: WorkerDeps): Worker {
  const {
    models,
    slots,
    blobStore,
    observers,
    onBlobCacheFault,
    tracing,
    web = NO_WEB,
    usage,
    limits = TURN_LIMITS,
    ...ports
  } = deps;
  const gate = usage ? createCallGate({ ...ports, ...usage, models }) : OPEN_GATE;
  const blobs = sealedBlobCache(blobStore, onBlobCacheFault);
  const traces = tracing && new TurnTraces(tracing.tracer);
  // Traces come first: what the others write names them.
  const watch = new TurnWatch(ports.clock, [...(traces ? [traces.sink] : []), ...(observers.turns ?? [])]);
  const turnModels = tracing && traces ? tracedModels({ ...tracing, models, watch, traces }) : models;
  const host = new TurnHost({
    ...ports,
    limits,
    logic: createAgent({
      models,
      serverTools: { webFetch: web.fetch !== undefined, webSearch: web.search !== undefined },
    }),
    runner: agentEffects({ models: turnModels, slots, blobs, gate, web }),
    observer: tellAll([watch.observer, observers.session]),
    hostObserver: observers.host,
  });
  return {
    start: () => host.start(),
    async drain(graceMs) {
      await host.drain(graceMs);
      await gate.close();
    },
    get turns() {
      return host.turns;
    },
  };
}
