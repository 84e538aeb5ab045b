import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { tandem } from '@tandem/proto';
import { decodeEntry } from '../journal/entry.ts';
import { fencedAppend } from '../journal/fenced-append.ts';
import { appendMessage } from '../parts/append-message.ts';
import type { Clock, Entropy } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { commandSubject, conversationSubject, journalSubject, type TurnKey } from '../subject/turn-key.ts';

export interface Candidate {
  readonly key: TurnKey;
  readonly generation: number;
  /** When the turn's opening command was stored, milliseconds since the epoch. */
  readonly openedAt: number;
  /** Waits for the active turn instead of taking its place. */
  readonly patient?: boolean;
}

/**
 * `activated`: the conversation is the candidate's; `superseded`: a turn opened later has it already; `busy`: a patient
 * candidate has to wait for the active turn to end.
 */
export type Activation = 'activated' | 'superseded' | 'busy';

const NOTICE_RETRY_MS = 30_000;

/**
 * Makes a turn the active one of its conversation, and cancels exactly the turn whose place it takes. May be repeated
 * (after a takeover): the record remembers what was replaced.
 *
 * @throws the signal's reason when it is aborted while the log is away
 */
export async function activateConversation(
  deps: { log: Log; clock: Clock; entropy: Entropy },
  candidate: Candidate,
  conversationId: string,
  signal: AbortSignal,
): Promise<Activation> {
  const { log, clock, entropy } = deps;
  const { key, generation, openedAt } = candidate;
  const subject = conversationSubject(key.owner, conversationId);
  const set = `${key.turn}.${generation}.${entropy.id()}`;
  let last = await log.last(subject);
  for (;;) {
    const active = last && fromBinary(tandem.ActiveTurnSchema, last.payload);
    if (active && isSame(active, candidate)) {
      await cancel(deps, key.owner, active.replaced);
      return 'activated';
    }
    if (active && candidate.patient) {
      const held = { owner: key.owner, turn: active.turn };
      if (!(await hasEnded(log, held, Number(active.generation)))) return 'busy';
    } else if (active && Number(active.openedAtMs) > openedAt) return 'superseded';
    const replaced = active && {
      turn: active.turn,
      generation: active.generation,
      openedAtMs: active.openedAtMs,
    };
    const mine = create(tandem.ActiveTurnSchema, {
      turn: key.turn,
      generation: BigInt(generation),
      // Never back in time: an older turn that asks again must still see that it is the older one.
      openedAtMs: BigInt(Math.max(openedAt, Number(active?.openedAtMs ?? 0n))),
      replaced,
    });
    const result = await fencedAppend(
      log,
      subject,
      { set, index: 0, count: 1 },
      toBinary(tandem.ActiveTurnSchema, mine),
      {
        clock,
        entropy,
        expectedLast: last?.sequence ?? 0,
        mayBePurged: true,
        signal,
      },
    );
    if (result.kind === 'stored') {
      if (last) await log.purge(subject, last.sequence);
      await cancel(deps, key.owner, mine.replaced);
      return 'activated';
    }
    last = result.last;
  }
}

function isSame(active: tandem.ActiveTurn, { key, generation }: Candidate): boolean {
  return active.turn === key.turn && Number(active.generation) === generation;
}

async function cancel(
  { log, clock, entropy }: { log: Log; clock: Clock; entropy: Entropy },
  owner: string,
  replaced: tandem.ActiveTurn | undefined,
): Promise<void> {
  if (!replaced) return;
  const key = { owner, turn: replaced.turn };
  if (await hasEnded(log, key, Number(replaced.generation))) return;
  const notice = create(tandem.CommandSchema, {
    kind: {
      case: 'cancel',
      value: { generation: replaced.generation, reason: tandem.CancelReason.SUPERSEDED },
    },
  });
  await appendMessage(log, commandSubject(key), entropy.id(), toBinary(tandem.CommandSchema, notice), {
    clock,
    entropy,
    retryForMs: NOTICE_RETRY_MS,
  });
}

async function hasEnded(log: Log, key: TurnKey, generation: number): Promise<boolean> {
  const last = await log.last(journalSubject(key));
  if (!last) return true;
  if (last.part.count > 1) return false;
  const entry = decodeEntry(last.payload);
  return Number(entry.generation) > generation || entry.items.some((item) => item.kind.case === 'ended');
}
