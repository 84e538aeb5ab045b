import { fromBinary } from '@bufbuild/protobuf';
import { Assembler, decodeEntry, higherEpochVoids, isEndStream, type Position } from '@tandem/actor-core';
import { agent, ENVELOPE_HEADER_BYTES, tandem } from '@tandem/proto';
import type { StoredRecord } from '../world/nats.ts';

/** A frame with its place in the journal. */
export interface JournalFrame {
  readonly at: Position;
  readonly payload: Uint8Array;
  readonly endStream: boolean;
}

export interface JournalEntry {
  readonly entry: tandem.Entry;
  /** The log's sequence of its last record, and when that was stored. */
  readonly sequence: number;
  readonly time: number;
  /** The process that wrote it. */
  readonly by: string;
}

/** One generation of a turn, as its journal tells it. */
export interface Generation {
  readonly subject: string;
  readonly number: number;
  readonly entries: JournalEntry[];
  readonly frames: JournalFrame[];
  ended: tandem.Ended | undefined;
}

/** One command of a command log. */
export interface LoggedAppend {
  readonly sequence: number;
  readonly time: number;
  readonly append: tandem.Append;
}

/** A client closed its stream: a gateway's notice of that. */
interface LoggedClose {
  readonly sequence: number;
  readonly time: number;
  readonly requestId: string;
}

/** A gateway's notice that it gave a generation's end to a client. */
interface LoggedDelivery {
  readonly time: number;
  readonly generation: number;
}

/** Both logs of all turns, as they were written; what was purged is in them. */
export interface Logs {
  readonly records: readonly StoredRecord[];
  /** By journal subject. */
  readonly generations: ReadonlyMap<string, Generation[]>;
  /** By command subject. */
  readonly appends: ReadonlyMap<string, LoggedAppend[]>;
  /** By command subject. */
  readonly closes: ReadonlyMap<string, LoggedClose[]>;
  /** By command subject. */
  readonly deliveries: ReadonlyMap<string, LoggedDelivery[]>;
}

export function readLogs(records: readonly StoredRecord[]): Logs {
  const generations = new Map<string, Generation[]>();
  const appends = new Map<string, LoggedAppend[]>();
  const closes = new Map<string, LoggedClose[]>();
  const deliveries = new Map<string, LoggedDelivery[]>();
  for (const [subject, own] of Map.groupBy(records, (record) => record.subject)) {
    if (subject.startsWith('evt.')) generations.set(subject, readJournal(subject, own));
    else if (subject.startsWith('cmd.')) {
      const commands = readCommands(own);
      appends.set(subject, commands.appends);
      closes.set(subject, commands.closes);
      deliveries.set(subject, commands.deliveries);
    }
  }
  return { records, generations, appends, closes, deliveries };
}

function readJournal(subject: string, records: readonly StoredRecord[]): Generation[] {
  const assembler = new Assembler({ voids: higherEpochVoids });
  const generations: Generation[] = [];
  for (const record of records) {
    const message = assembler.push(record);
    if (!message) continue;
    const entry = decodeEntry(message.payload);
    const number = Number(entry.generation);
    let generation = generations.at(-1);
    if (generation?.number !== number) {
      generation = { subject, number, entries: [], frames: [], ended: undefined };
      generations.push(generation);
    }
    generation.entries.push({ entry, sequence: message.sequence, time: message.time, by: record.by });
    take(generation, entry);
  }
  return generations;
}

function take(generation: Generation, entry: tandem.Entry): void {
  for (const [item, { kind }] of entry.items.entries()) {
    if (kind.case === 'ended') generation.ended ??= kind.value;
    if (kind.case !== 'frame') continue;
    generation.frames.push({
      at: { entry: Number(entry.number), item },
      payload: kind.value.subarray(ENVELOPE_HEADER_BYTES),
      endStream: isEndStream(kind.value),
    });
  }
}

function readCommands(records: readonly StoredRecord[]) {
  const assembler = new Assembler();
  const appends: LoggedAppend[] = [];
  const closes: LoggedClose[] = [];
  const deliveries: LoggedDelivery[] = [];
  for (const record of records) {
    const message = assembler.push(record);
    if (!message) continue;
    const { sequence, time } = message;
    const { kind } = fromBinary(tandem.CommandSchema, message.payload);
    if (kind.case === 'append') appends.push({ sequence, time, append: kind.value });
    else if (kind.case === 'readerClosed') closes.push({ sequence, time, requestId: kind.value.requestId });
    else if (kind.case === 'responseEnded' && kind.value.endStream) {
      deliveries.push({ time, generation: Number(kind.value.generation) });
    }
  }
  return { appends, closes, deliveries };
}

export function messageOf({ payload }: JournalFrame): agent.AgentServerMessage {
  return fromBinary(agent.AgentServerMessageSchema, payload);
}
