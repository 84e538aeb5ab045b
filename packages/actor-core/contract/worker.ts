import type { DispatchQueue, JobOutcome } from '../src/ports/dispatch.ts';
import type { TurnKey } from '../src/subject/turn-key.ts';

/** A worker of a test. */
export interface TestWorker {
  readonly queue: DispatchQueue;
  /** The turns it was given, in order. */
  readonly begun: readonly TurnKey[];
  finish(key: TurnKey, outcome: JobOutcome): void;
}

/** Starts a worker whose handler answers, or without `answer` waits for `finish`. */
export async function startWorker(
  queue: DispatchQueue,
  answer?: (key: TurnKey) => JobOutcome,
): Promise<TestWorker> {
  const begun: TurnKey[] = [];
  const finishers = new Map<string, (outcome: JobOutcome) => void>();
  await queue.start(async (key) => {
    begun.push(key);
    if (answer) return answer(key);
    return new Promise((resolve) => finishers.set(key.turn, resolve));
  });
  return { queue, begun, finish: (key, outcome) => finishers.get(key.turn)?.(outcome) };
}
