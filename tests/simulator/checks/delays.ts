import { journalSubject, turnKey } from '@tandem/actor-core';
import type { Fault, Plan } from '../plan/plan.ts';
import { RECONNECT_MS } from '../run/apply-faults.ts';
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
    // A turn whose job is lost is handed over to nobody: its reader has it dispatched again (lostJobsAreMadeAgain).
    if (fault.kind === 'redis down' && fault.loses === 'all') return fault.at > at + bound;
    const length = lengthOf(fault);
    return fault.at > at + bound || fault.at + length < at - 5_000;
  });
}

/** How long after its time a fault may be felt. Traps spring later. */
function lengthOf(fault: Fault): number {
  if (fault.kind === 'stuck claim') return fault.ms + 30_000;
  if ('ms' in fault) return fault.ms;
  return 'downMs' in fault ? fault.downMs + 30_000 : 5_000;
}

/** A job that is lost: its lease, 3 s without a pulse and the reader's next look, the restart. */
const LOST_JOB_MS = 15_000;

/** Readers have turns dispatched again whose jobs were lost with their workers. */
export const lostJobsAreMadeAgain: Check = ({ cast, plan, world }, { generations }, report) => {
  const [lost, ...others] = plan.faults;
  if (lost?.kind !== 'redis down' || lost.loses !== 'all' || others.length === 0) return;
  if (others.some((fault) => fault.kind !== 'crash' || fault.at - lost.at > 10)) return;
  const startedAt = world.time.now() - world.history.now;
  const from = startedAt + lost.at;
  for (const turn of cast.turns) {
    const watched = turn.attempts.some(({ streams }) =>
      streams.some(({ openedAt, times }) => openedAt < lost.at && (times.at(-1) ?? 0) > lost.at),
    );
    const own = generations.get(journalSubject(turnKey(turn.owner, turn.originalRequestId))) ?? [];
    const living = own.find((generation) => ownerAt(generation, from) && !endedBy(generation, from + 10));
    if (!watched || !living) continue;
    world.history.count('measured: a job that was lost');
    const next = living.entries.find(({ time }) => time > from + 10);
    const late = next ? next.time - from : Number.POSITIVE_INFINITY;
    if (late > LOST_JOB_MS) report(`${living.subject}: taken over ${late} ms after its job was lost`);
  }
};

function ownerAt({ entries }: Generation, time: number): string | undefined {
  return entries.findLast((entry) => entry.time <= time)?.by;
}

function endedBy({ entries }: Generation, time: number): boolean {
  return entries.some((one) => one.time <= time && one.entry.items.some(({ kind }) => kind.case === 'ended'));
}

/** What a reader may take to learn of a record of which it was not told: a second look 100 ms later, and the ways there. */
const SECOND_LOOK_MS = 400;
/** What it may take when nothing but a pulse tells of it. */
const PULSE_MS = 3_000;
/** Without pulses for longer, a reader asks the leader, cut off or not. */
const QUIET_MS = 3_500;
const APART_MS = 6_000;

/** With nothing worse than records that are not told of, a reader has each frame soon after it was stored. */
export const framesComeSoon: Check = ({ cast, plan, world }, { generations }, report) => {
  const bound = soonMs(plan);
  if (bound === undefined) return;
  const startedAt = world.time.now() - world.history.now;
  for (const turn of cast.turns) {
    // Large frames, and all of them where the client is slow, wait for their turn at the socket.
    if (turn.behaviour.padding > 0 || turn.behaviour.readMs > 0) continue;
    const own = generations.get(journalSubject(turnKey(turn.owner, turn.originalRequestId))) ?? [];
    const [stream] = turn.attempts[0]?.streams ?? [];
    const generation = own.find(({ entries }) => {
      const first = entries[0]?.entry.items[0]?.kind;
      return (
        first?.case === 'opened' && (entries[0]?.time ?? 0) - startedAt >= (turn.attempts[0]?.startedAt ?? 0)
      );
    });
    if (!stream || !generation) continue;
    for (const [index, frame] of generation.frames.entries()) {
      const came = stream.times[index];
      const entry = generation.entries[frame.at.entry - 1];
      if (came === undefined || !entry) break;
      const storedAt = Math.max(entry.time - startedAt, stream.openedAt);
      const since = heardFrom(plan, stream.times[0] ?? 0, storedAt);
      if (since === undefined) break;
      world.history.count('measured: a frame on its way');
      if (came - since <= bound) continue;
      report(`${stream.requestId}: frame ${index} came ${came - since} ms after it was stored`);
      break;
    }
  }
};

/** How soon frames have to come under this plan; undefined: nothing can be said. */
function soonMs({ faults }: Plan): number | undefined {
  if (faults.every(isCutOff)) return areApart(faults) ? SECOND_LOOK_MS : undefined;
  let bound = SECOND_LOOK_MS;
  for (const fault of faults) {
    if (fault.kind !== 'lag') return undefined;
    bound = Math.max(bound, fault.liveLoss > 0 ? PULSE_MS + fault.lagMs : SECOND_LOOK_MS + 2 * fault.lagMs);
  }
  return bound;
}

/**
 * When a stream's gateway can hear again of what was stored at this time; undefined when it was not yet being read in
 * peace as the connection broke: calls that were out then are given up late.
 */
function heardFrom({ faults }: Plan, firstAt: number, at: number): number | undefined {
  let from = at;
  for (const fault of faults) {
    if (!isCutOff(fault)) continue;
    const end = fault.at + fault.ms + RECONNECT_MS;
    if (from < fault.at - SECOND_LOOK_MS) continue;
    if (firstAt > fault.at - SECOND_LOOK_MS || fault.ms > QUIET_MS) return undefined;
    if (from < end) from = end;
  }
  return from;
}

/** Whether a reader hears pulses enough between two faults not to ask the leader in the second. */
function areApart(faults: readonly Extract<Fault, { kind: 'partition' }>[]): boolean {
  const inOrder = faults.toSorted((a, b) => a.at - b.at);
  return inOrder.every((fault, index) => {
    const next = inOrder[index + 1];
    return !next || next.at - fault.at - fault.ms > APART_MS;
  });
}

function isCutOff(fault: Fault): fault is Extract<Fault, { kind: 'partition' }> {
  return (
    fault.kind === 'partition' && fault.mode === 'cut' && fault.b === 'nats' && fault.a.startsWith('gateway')
  );
}
