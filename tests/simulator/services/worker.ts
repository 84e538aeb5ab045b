import { TURN_LIMITS, type TurnLimits } from '@tandem/actor-core';
import { TandemError } from '@tandem/errors';
import { type BlobStore, createWorker, ModelSlots, type Worker } from '@tandem/worker';
import type { SimModels } from '../model/sim-models.ts';
import type { History } from '../world/history.ts';
import type { Process } from '../world/process.ts';
import type { Ports } from '../world/world.ts';

/** A worker's process: the real worker on ports of the simulation. */
export class SimWorker {
  readonly process: Process;
  readonly #worker: Worker;

  constructor(
    process: Process,
    ports: Ports,
    options: { models: SimModels; blobStore: BlobStore; limits: TurnLimits; history: History },
  ) {
    const { models, blobStore, limits, history } = options;
    this.process = process;
    const fault = (error: unknown) => {
      const known = error instanceof TandemError && error.reason !== 'internal';
      history.note(known ? 'worker fault' : 'worker bug', `${process.name} ${describe(error)}`);
    };
    this.#worker = createWorker({
      ...ports,
      workerId: process.name,
      clock: process.clock,
      entropy: process.entropy,
      models,
      slots: new ModelSlots(100),
      blobStore,
      observers: {
        session: {
          started: (key, { kind }) => history.note(`taken up: ${kind}`, `${key.turn} ${process.name}`),
          deposed: (key) => history.note('deposed', `${key.turn} ${process.name}`),
          logicFailed: (_key, error) => fault(error),
          retentionFailed: () => history.count('retention failed'),
        },
        host: {
          sessionFailed: (_key, error) => fault(error),
          leaseLost: (name) => history.note('lease lost', `${name} ${process.name}`),
          stalled: () => history.count('worker stalled'),
          leaseStoreFailed: () => history.count('lease store failed'),
        },
        calls: () => ({}) as never,
      },
      onBlobCacheFault: fault,
      limits,
    });
  }

  /** Turns that it runs. */
  get turns(): number {
    return this.#worker.turns;
  }

  start(): Promise<void> {
    return this.#worker.start();
  }

  drain(graceMs: number): Promise<void> {
    return this.#worker.drain(graceMs);
  }
}

/** The product's limits, with a retention short enough for a run to see its end. */
export function limitsOf(retentionMs: number): TurnLimits {
  return { ...TURN_LIMITS, retentionMs };
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const place =
    error.stack
      ?.split('\n')
      .find((line) => line.includes('/src/'))
      ?.trim() ?? '';
  return `${error.name}: ${error.message} ${place.replace(/\(?file:.*\/(packages|services)\//, '')}`;
}
