import { Worker } from 'node:worker_threads';
import type { Mutation } from '../mutations/mutation.ts';
import type { SeedResult } from './run-seed.ts';

export interface SeedsOptions {
  readonly from: number;
  readonly count: number;
  readonly threads: number;
  readonly mutation?: Mutation;
  /** Called for each result, in no order. Answering false ends the run. */
  readonly onResult: (result: SeedResult) => boolean;
}

/** A seed that takes longer hangs: code that was broken on purpose may loop for ever. */
const HANGS_MS = 30_000;

/** Runs many seeds on threads. @returns how many were run */
export async function runSeeds({ from, count, threads, mutation, onResult }: SeedsOptions): Promise<number> {
  let next = from;
  let done = 0;
  let stopped = false;
  const take = (result: SeedResult) => {
    done += 1;
    if (!onResult(result)) stopped = true;
  };
  const lane = async () => {
    let thread = new SeedThread(mutation);
    while (!stopped && next < from + count) {
      const result = await thread.run(next++);
      take(result);
      if (!thread.usable) {
        await thread.end();
        thread = new SeedThread(mutation);
      }
    }
    await thread.end();
  };
  await Promise.all(Array.from({ length: Math.min(threads, count) }, lane));
  return done;
}

class SeedThread {
  usable = true;
  readonly #worker: Worker;

  constructor(mutation: Mutation | undefined) {
    this.#worker = new Worker(new URL('./seed-worker.ts', import.meta.url), { workerData: { mutation } });
  }

  run(seed: number): Promise<SeedResult> {
    return new Promise((resolve) => {
      const worker = this.#worker;
      const settle = (result: SeedResult) => {
        clearTimeout(timer);
        worker.off('message', settle).off('error', failed).off('exit', gone);
        resolve(result);
      };
      const fail = (what: string) => {
        this.usable = false;
        settle({ seed, violations: [{ check: 'threw', what }], digest: '', counts: {}, history: [] });
      };
      const failed = (error: unknown) =>
        fail(error instanceof Error ? (error.stack ?? error.message) : String(error));
      const gone = (code: number) => fail(`its thread ended with ${code}`);
      const timer = setTimeout(() => fail(`hangs for ${HANGS_MS} ms`), HANGS_MS);
      worker.on('message', settle).on('error', failed).on('exit', gone);
      worker.postMessage(seed);
    });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}
