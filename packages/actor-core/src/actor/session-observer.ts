import { tandem } from '@tandem/proto';
import type { LoggedCommand } from '../commands/command-intake.ts';
import type { JournalView } from '../journal/journal-view.ts';
import type { JournalObserver } from '../journal/journal-writer.ts';
import type { TurnKey } from '../subject/turn-key.ts';
import { factsOf } from './fold.ts';
import type { TurnFacts } from './logic.ts';
import type { SessionPlan } from './session-plan.ts';
import type { TurnObserver } from './turn-actor.ts';

/** Told of one process's work on turns, for metrics, logs and traces. */
export interface SessionObserver extends TurnObserver, JournalObserver {
  /** A generation was opened, taken over, answered to a late attempt, or found broken. */
  started?(key: TurnKey, start: SessionStart): void;
  /** Where this process's work on the turn is traced (W3C traceparent): kept in the journal for the next owner. */
  traceparent?(key: TurnKey): string | undefined;
  /** This process's work on a turn that it had taken up is over. */
  left?(key: TurnKey, end: SessionEnd): void;
  /** What the turn left stays until the log forgets it by age. */
  retentionFailed?(error: unknown): void;
  /** Another process acquired a later epoch of the journal. */
  deposed?(key: TurnKey): void;
}

/**
 * `done`: nothing is left to do for the turn; `again`: its logs moved while they were read, look once more;
 * `deposed`: another process runs it; `stopped`: on request.
 */
export type SessionEnd = 'done' | 'again' | 'deposed' | 'stopped';

/** What a process begins with when it takes a turn up, for metrics and traces. */
export type SessionStart =
  | {
      readonly kind: 'open' | 'resume';
      readonly facts: TurnFacts;
      /** When the append that opened the generation was stored, milliseconds since 1970. */
      readonly openedAt: number;
      /** Where the history stands. */
      readonly phase: tandem.Phase;
      /** Where the former owner's work is traced, if there was one and it was. */
      readonly formerTrace: string | undefined;
    }
  | { readonly kind: 'answer' | 'broken' };

/** @throws TandemError internal when the opening append is gone from its log */
export function startOf(view: JournalView, plan: Exclude<SessionPlan, { kind: 'idle' }>): SessionStart {
  const { kind } = plan;
  if (kind !== 'open' && kind !== 'resume') return { kind };
  const { opening } = plan;
  return { kind, facts: openingFacts(opening), openedAt: opening.time, ...standing(view, kind) };
}

function openingFacts({ command, sequence }: LoggedCommand): TurnFacts {
  return factsOf(sequence, command.kind.case === 'append' ? command.kind.value : undefined);
}

function standing({ entries }: JournalView, kind: 'open' | 'resume') {
  let phase: tandem.Phase = tandem.Phase.CREATED;
  let formerTrace: string | undefined;
  if (kind === 'open') return { phase, formerTrace };
  for (const { entry } of entries) {
    for (const { kind: item } of entry.items) {
      if (item.case === 'owner') formerTrace = item.value.traceparent || undefined;
      else if (item.case === 'record' && item.value.kind.case === 'phase')
        phase = item.value.kind.value.phase;
    }
  }
  return { phase, formerTrace };
}
