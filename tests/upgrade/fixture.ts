import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { fromBinary } from '@bufbuild/protobuf';
import { agent, ENVELOPE_HEADER_BYTES, tandem } from '@tandem/proto';
import { entriesOf, type PlacedEntry, Play, type StoredRecord } from './play.ts';
import type { Scene } from './scene.ts';

const FOLDER = new URL('./fixtures/', import.meta.url);

/** A turn as an earlier version left it in the logs, and what that version made of it. */
export interface Fixture {
  readonly records: readonly StoredRecord[];
  /** Sealed blobs, as workers had cached them when the last turn began. */
  readonly cache: ReadonlyMap<string, Uint8Array>;
  /** By the number of entries that were stored when another worker took over (`late`: all, for a further attempt). */
  readonly outcomes: ReadonlyMap<string, readonly string[]>;
}

/** The entries of the turn that a fixture is about. */
export function journalOf(scene: Scene, records: readonly StoredRecord[]): PlacedEntry[] {
  return entriesOf(records, scene.turns.at(-1)?.requestId ?? '');
}

/** Everywhere that a worker can be lost: behind each entry, and the end of all. */
export function cutsOf(scene: Scene, records: readonly StoredRecord[]): string[] {
  const { length } = journalOf(scene, records);
  return [...Array.from({ length: length - 1 }, (_, index) => String(index + 1)), 'late'];
}

/** Another worker takes over at a cut, the client and the model go on. @returns what it leads to */
export async function takeOver(
  scene: Scene,
  fixture: Omit<Fixture, 'outcomes'>,
  cut: string,
): Promise<string[]> {
  const { records, cache } = fixture;
  const before = journalOf(scene, records);
  const last = cut === 'late' ? Number.POSITIVE_INFINITY : (before[Number(cut) - 1]?.sequence ?? 0);
  const play = new Play(scene, cache);
  await play.load(records.filter(({ sequence }) => sequence <= last));
  if (cut === 'late') play.retry('late');
  await play.goOn();
  if (play.faults.length > 0) throw play.faults[0];
  const behind = cut === 'late' ? before.length : Number(cut);
  const seen = outcomeOf(journalOf(scene, await play.records()), behind);
  return [...seen, ...play.asked.map((digest) => `model asked ${digest}`)];
}

/**
 * What is promised to stay: frames (their bytes), where attempts' readers start, the end. Neither how a journal's items are
 * divided into entries nor what only the turn itself remembers: places are told by the frames before them.
 */
function outcomeOf(entries: readonly PlacedEntry[], behind: number): string[] {
  const lines: string[] = [];
  let frames = 0;
  const places = new Map<string, number>();
  for (const [position, { entry }] of entries.entries()) {
    for (const [index, { kind }] of entry.items.entries()) {
      if (kind.case === 'opened') frames = 0;
      if (kind.case === 'frame') frames += 1;
      places.set(`${entry.number}.${index}`, frames);
      const place = (at: tandem.Position) => places.get(`${at.entry}.${at.item}`);
      if (position < behind) continue;
      if (kind.case === 'frame') lines.push(`frame ${Buffer.from(kind.value).toString('base64')}`);
      if (kind.case === 'opened') lines.push(`opened by ${kind.value.requestId}`);
      if (kind.case === 'attempt') {
        const { requestId, start, withheld } = kind.value;
        lines.push(
          `attempt ${requestId} behind ${start && place(start)} without ${withheld.map(place).join(' ')}`,
        );
      }
      if (kind.case === 'ended')
        lines.push(`ended ${tandem.Outcome[kind.value.outcome]} ${kind.value.reason}`.trim());
    }
  }
  return lines;
}

/** As it is kept: outcomes name frames by their place among all that the fixture knows, `3-7` for several. */
interface Stored {
  readonly subjects: readonly string[];
  readonly records: readonly (readonly [
    sequence: number,
    subject: number,
    time: number,
    set: string,
    index: number,
    count: number,
    payload: string,
  ])[];
  readonly cache: Readonly<Record<string, string>>;
  readonly outcomes: Readonly<Record<string, string>>;
  /** Frames of outcomes that are not in the records, in hex, compressed. */
  readonly newFrames: string;
  /** What the entries hold, for people. */
  readonly journal: readonly string[];
}

export function names(): string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length));
}

export function readFixture(scene: Scene, name: string): Fixture {
  const stored: Stored = JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8'));
  const records = stored.records.map(([sequence, subject, time, set, index, count, payload]) => ({
    subject: stored.subjects[subject] ?? '',
    sequence,
    time,
    part: { set, index, count },
    payload: Buffer.from(payload, 'base64'),
  }));
  const frames = [...framesOf(scene, records), ...unpack(stored.newFrames)];
  const lines = (token: string) => {
    const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(token) ?? [];
    return from === undefined ? [token] : frames.slice(Number(from), Number(to) + 1);
  };
  return {
    records,
    cache: new Map(Object.entries(stored.cache).map(([key, sealed]) => [key, Buffer.from(sealed, 'base64')])),
    outcomes: new Map(
      Object.entries(stored.outcomes).map(([cut, tokens]) => [cut, tokens.split(', ').flatMap(lines)]),
    ),
  };
}

export function writeFixture(scene: Scene, name: string, { records, cache, outcomes }: Fixture): void {
  const subjects = [...new Set(records.map(({ subject }) => subject))];
  const known = framesOf(scene, records);
  const frames = [...known];
  const stored: Stored = {
    subjects,
    records: records.map(({ subject, sequence, time, part: { set, index, count }, payload }) => [
      sequence,
      subjects.indexOf(subject),
      time,
      set,
      index,
      count,
      Buffer.from(payload).toString('base64'),
    ]),
    cache: Object.fromEntries(
      [...cache].map(([key, sealed]) => [key, Buffer.from(sealed).toString('base64')]),
    ),
    outcomes: Object.fromEntries([...outcomes].map(([cut, lines]) => [cut, shorten(lines, frames)])),
    newFrames: pack(frames.slice(known.length)),
    journal: journalOf(scene, records).map(
      ({ entry }, index) => `${index + 1}: ${entry.items.map(labelOf).join(', ')}`,
    ),
  };
  const rows = stored.records.map((record) => JSON.stringify(record)).join(',\n');
  const text = JSON.stringify({ ...stored, records: [] }, null, 1).replace(
    '"records": []',
    () => `"records": [\n${rows}\n]`,
  );
  writeFileSync(new URL(`${name}.json`, FOLDER), `${text}\n`);
}

function pack(lines: readonly string[]): string {
  const hex = lines.map((line) => Buffer.from(line.slice('frame '.length), 'base64').toString('hex'));
  return brotliCompressSync(hex.join('\n')).toString('base64');
}

function unpack(packed: string): string[] {
  const hex = brotliDecompressSync(Buffer.from(packed, 'base64')).toString();
  return hex ? hex.split('\n').map((frame) => `frame ${Buffer.from(frame, 'hex').toString('base64')}`) : [];
}

function labelOf({ kind }: tandem.Item): string {
  if (kind.case === 'record') return kind.value.kind.case ?? '';
  if (kind.case === 'command') return `command ${kind.value.seqno} of ${kind.value.requestId}`;
  if (kind.case !== 'frame') return kind.case ?? '';
  if ((kind.value[0] ?? 0) & 2) return 'EndStream';
  const { message } = fromBinary(agent.AgentServerMessageSchema, kind.value.subarray(ENVELOPE_HEADER_BYTES));
  const inner = message.value && 'message' in message.value ? message.value.message.case : undefined;
  return `<${inner ?? message.case}>`;
}

function framesOf(scene: Scene, records: readonly StoredRecord[]): string[] {
  return outcomeOf(journalOf(scene, records), 0).filter((line) => line.startsWith('frame '));
}

/** Adds to `frames` what is not among them. */
function shorten(lines: readonly string[], frames: string[]): string {
  const tokens: (string | [from: number, to: number])[] = [];
  for (const line of lines) {
    const last = tokens.at(-1);
    if (!line.startsWith('frame ')) tokens.push(line);
    else if (Array.isArray(last) && frames[last[1] + 1] === line) last[1] += 1;
    else {
      const at = frames.indexOf(line);
      const index = at >= 0 ? at : frames.push(line) - 1;
      if (Array.isArray(last) && index === last[1] + 1) last[1] = index;
      else tokens.push([index, index]);
    }
  }
  const told = tokens.map((token) => {
    if (!Array.isArray(token)) return token;
    return token[0] === token[1] ? String(token[0]) : token.join('-');
  });
  return told.join(', ');
}
