import type { Fault } from '../plan/plan.ts';
import type { Run } from '../run/simulate.ts';
import type { Generation } from './journals.ts';
import type { Check } from './violation.ts';

const CRASH_MS = 10_000;
/** Beyond the second that is promised: a message's way there and back, and the rounding of the ticks. */
const DRAIN_MS = 1_100;

/**
 * A worker's crash delays a turn's next entry by at most 10 s, a drain by at most 1 s (promise 4), as long as another
 * worker is well and nothing else goes wrong at the time.
 */
export const takenOverInTime: Check = (run, { generations }, report) => {
  const startedAt = run.world.time.now() - run.world.history.now;
  const living = [...generations.values()].flat();
  for (const end of run.cast.ends) {
    const bound = end.kind === 'crash' ? CRASH_MS : DRAIN_MS;
    const from = startedAt + end.at;
    if (!isAlone(run, end.fault, end.at, bound)) continue;
    for (const generation of living) {
      if (ownerAt(generation, from) !== end.process || endedBy(generation, from)) continue;
      run.world.history.count(`measured: ${end.kind} of a busy worker`);
      const next = generation.entries.find(({ time, by }) => time >= from && by !== end.process);
      const late = next ? next.time - from : Number.POSITIVE_INFINITY;
      if (late > bound)
        report(`${generation.subject}: taken over ${late} ms after the ${end.kind} of ${end.process}`);
    }
  }
};

/** Whether nothing else goes wrong from 5 s before until the bound has passed. */
function isAlone({ plan }: Run, own: Fault, at: number, bound: number): boolean {
  return plan.faults.every((fault) => {
    if (fault === own) return true;
    const length = 'ms' in fault ? fault.ms : 'downMs' in fault ? fault.downMs + 30_000 : 5_000;
    return fault.at > at + bound || fault.at + length < at - 5_000;
  });
}

function ownerAt({ entries }: Generation, time: number): string | undefined {
  return entries.findLast((entry) => entry.time <= time)?.by;
}

function endedBy({ entries }: Generation, time: number): boolean {
  return entries.some((one) => one.time <= time && one.entry.items.some(({ kind }) => kind.case === 'ended'));
}
