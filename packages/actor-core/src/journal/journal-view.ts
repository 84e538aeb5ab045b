import type { tandem } from '@tandem/proto';
import type { Message } from '../parts/assembler.ts';
import type { LogRecord } from '../ports/log.ts';
import { type Consumption, decodeEntry, epochOfSet } from './entry.ts';

/** An entry with its place in the log. */
export interface StoredEntry {
  readonly sequence: number;
  readonly entry: tandem.Entry;
}

/** What a turn's journal says, before any of it is folded. */
export interface JournalView {
  /** The entries of the newest generation, oldest first; empty when the journal is, or lost its beginning to a purge. */
  readonly entries: readonly StoredEntry[];
  /** 0 when there is none. */
  readonly generation: number;
  /** The command that opened it, by its name in the command log. */
  readonly openedSet: string | undefined;
  /** The newest generation's terminal record. */
  readonly ended: tandem.Ended | undefined;
  readonly lastSequence: number;
  readonly lastEpoch: number;
  readonly lastNumber: number;
  /** What the generation before the newest left behind in the command log. */
  readonly before: Consumption;
  /**
   * Of the generation before the one that is to be taken up: by request, the seqno behind the last that it applied.
   * Undefined when its entries are gone, or there was none.
   */
  readonly applied: ReadonlyMap<string, number> | undefined;
  /** The journal does not begin where its living generation does: entries are missing, it can't be folded. */
  readonly broken: boolean;
}

/**
 * Reads the meaning of a journal's messages.
 * @param lastRecord the journal's last record, of a whole message or not
 * @throws TandemError internal when an entry cannot be decoded
 */
export function viewJournal(messages: readonly Message[], lastRecord: LogRecord | undefined): JournalView {
  const all = messages.map(({ sequence, payload }) => ({ sequence, entry: decodeEntry(payload) }));
  const last = all.at(-1)?.entry;
  const generation = last ? Number(last.generation) : 0;
  const entries = all.filter(({ entry }) => Number(entry.generation) === generation);
  const ended = terminal(entries);
  const earlier = all.filter(({ entry }) => Number(entry.generation) < generation);
  const first = entries[0]?.entry.items[0]?.kind;
  const begun = first?.case === 'opened';
  return {
    entries: begun ? entries : [],
    generation,
    openedSet: begun ? first.value.commandSet : undefined,
    ended,
    lastSequence: lastRecord?.sequence ?? 0,
    // Of the record, since an owner's first entry may have been cut off between its parts.
    lastEpoch: Math.max(last ? Number(last.epoch) : 0, lastRecord ? epochOfSet(lastRecord.part.set) : 0),
    lastNumber: last ? Number(last.number) : 0,
    before: consumptionOf(terminal(earlier)),
    applied: appliedIn(ended ? entries : newestOf(earlier)),
    broken: !begun && all.length > 0 && !ended,
  };
}

/** What a terminal record says of the command log; all zero without one. */
export function consumptionOf(ended: tandem.Ended | undefined): Consumption {
  return {
    consumedSequence: Number(ended?.consumedSequence ?? 0n),
    scanSequence: Number(ended?.scanSequence ?? 0n),
  };
}

function newestOf(entries: readonly StoredEntry[]): StoredEntry[] {
  const generation = entries.at(-1)?.entry.generation;
  return entries.filter(({ entry }) => entry.generation === generation);
}

function appliedIn(entries: readonly StoredEntry[]): Map<string, number> | undefined {
  if (entries.length === 0) return undefined;
  const applied = new Map<string, number>();
  for (const { kind } of entries.flatMap(({ entry }) => entry.items)) {
    if (kind.case === 'command') applied.set(kind.value.requestId, Number(kind.value.seqno) + 1);
  }
  return applied;
}

function terminal(entries: readonly StoredEntry[]): tandem.Ended | undefined {
  for (let i = entries.length - 1; i >= 0; i -= 1) {
    for (const item of entries[i]?.entry.items ?? []) if (item.kind.case === 'ended') return item.kind.value;
  }
  return undefined;
}
