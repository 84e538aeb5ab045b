import { fromBinary } from '@bufbuild/protobuf';
import type { agent } from '@tandem/proto';
import { tandem } from '@tandem/proto';
import { createWorker, ModelSlots } from '@tandem/worker';
import { Client } from './client.ts';
import { doOnMachine } from './machine.ts';
import { scriptedModel } from './model.ts';
import {
  appendMessage,
  commandSubject,
  encodePresence,
  journalSubject,
  type LogRecord,
  MemoryDispatch,
  MemoryLeases,
  MemoryLog,
  MemorySignals,
  presenceSubject,
  seededEntropy,
  type TurnKey,
  turnKey,
  VirtualClock,
} from './runtime.ts';
import type { Scene } from './scene.ts';

export interface StoredRecord extends Omit<LogRecord, 'previous'> {
  readonly subject: string;
}
/** An entry of a journal, at the sequence of its last record. */
export interface PlacedEntry {
  readonly sequence: number;
  readonly entry: tandem.Entry;
}

/** Stands where records were before they were purged: sequences are what the logs refer to each other by. */
const PURGED = 'purged';
/** Some answers come before it, some after; none at the same time as anything else. */
const TAKEOVER_MS = 11;
const PRESENCE_MS = 5_000;
const LIMIT_MS = 45 * 60_000;

/** One conversation's turns on adapters in memory and virtual time, with a scripted client and a scripted model. */
export class Play {
  readonly clock = new VirtualClock();
  /** What the model was asked, in short. */
  readonly asked: string[] = [];
  /** What workers keep of blobs, as it is stored. */
  readonly cache: Map<string, Uint8Array>;
  readonly faults: unknown[] = [];
  readonly #scene: Scene;
  readonly #log: MemoryLog;
  readonly #blobs = new Map<string, Uint8Array>();
  readonly #parts = new Map<string, Uint8Array[]>();
  #turn = -1;
  #client!: Client;

  constructor(scene: Scene, cache: ReadonlyMap<string, Uint8Array> = new Map()) {
    this.#scene = scene;
    this.cache = new Map(cache);
    this.#log = new MemoryLog({ clock: this.clock, maxRecordBytes: scene.maxRecordBytes });
    this.#nextTurn(undefined);
  }

  get #key(): TurnKey {
    return turnKey('user', this.#scene.turns[this.#turn]?.requestId ?? '');
  }

  /** Plays all turns to their ends. @returns what the cache held when the last one began */
  async all(): Promise<ReadonlyMap<string, Uint8Array>> {
    while (this.#turn < this.#scene.turns.length - 1) {
      await this.goOn();
      this.#nextTurn(this.#client.checkpoint);
    }
    const cache = new Map(this.cache);
    await this.goOn();
    return cache;
  }

  /** Brings logs, time and client to where they were when these records had been stored. */
  async load(records: readonly StoredRecord[]): Promise<void> {
    let last = 0;
    for (const { subject, sequence, time, part, payload } of records) {
      await this.clock.advance(time - this.clock.now());
      while (last < sequence - 1) last = (await this.#log.append(PURGED, part, new Uint8Array())).sequence;
      last = (await this.#log.append(subject, part, payload)).sequence;
      const next = this.#scene.turns[this.#turn + 1];
      if (next && subject === commandSubject(turnKey('user', next.requestId))) {
        this.#nextTurn(this.#client.checkpoint);
      }
      const whole = this.#assemble(subject, part, payload);
      if (!whole) continue;
      if (subject === journalSubject(this.#key)) this.#read(whole);
      else if (subject === commandSubject(this.#key) && this.#client.due !== undefined) {
        // The runtime writes to this log as well.
        const { kind } = fromBinary(tandem.CommandSchema, whole);
        const { command } = this.#client.take();
        if (!Buffer.from(command).equals(whole))
          throw new Error(`the client is not the recorded one: ${kind.case}`);
      }
    }
  }

  /** A worker takes the turn up, and the client goes on, until the turn has ended. */
  async goOn(): Promise<void> {
    const { clock } = this;
    const client = this.#client;
    const log = this.#log;
    const signals = new MemorySignals({ clock });
    const dispatch = new MemoryDispatch({ clock });
    const entropy = seededEntropy(this.#turn + 1000 * (await this.#length()));
    const key = this.#key;
    const subscription = await log.subscribe(journalSubject(key), {
      record: ({ part, payload }) => {
        const whole = this.#assemble(journalSubject(key), part, payload);
        if (whole) this.#read(whole);
        wake();
      },
      interrupted: () => {},
    });
    let sending = Promise.resolve<unknown>(undefined);
    const send = () => {
      while (client.due !== undefined && client.due <= clock.now()) {
        const { command, opens } = client.take();
        sending = sending
          .then(() =>
            appendMessage(log, commandSubject(key), entropy.id(), command, { clock, retryForMs: 1000 }),
          )
          .then(() => (opens ? dispatch.dispatch(key) : undefined));
      }
      wake();
    };
    let timer = clock.after(0, () => {});
    const wake = () => {
      timer.cancel();
      if (client.due !== undefined) timer = clock.after(client.due - clock.now(), send);
    };
    let present = clock.after(0, () => {});
    const announce = () => {
      if (!this.#scene.leaves) {
        const signal = encodePresence({ readerId: 'reader', requestId: 'any', leaving: false });
        signals.publish(presenceSubject(key), signal);
      }
      present = clock.after(PRESENCE_MS, announce);
    };
    announce();
    wake();
    if ((await log.last(journalSubject(key))) !== undefined) {
      await clock.advance(TAKEOVER_MS);
      await dispatch.dispatch(key);
    }
    const worker = this.#worker(signals, dispatch, entropy);
    await worker.start();
    await clock.advanceUntil(() => client.over && client.due === undefined, LIMIT_MS);
    await clock.advance(500);
    await sending;
    await Promise.all([worker.drain(0), clock.advance(2_000)]);
    timer.cancel();
    present.cancel();
    subscription.close();
  }

  retry(requestId: string): void {
    this.#client.retry(this.clock.now(), requestId);
    this.#client.over = false;
  }

  /** All that is stored. */
  async records(): Promise<StoredRecord[]> {
    const all: StoredRecord[] = [];
    for (const subject of this.#log.subjects()) {
      if (subject === PURGED) continue;
      const read = async (after: number): Promise<void> => {
        const page = await this.#log.read(subject, after, 1000);
        all.push(...page.map((record) => ({ ...record, subject })));
        const last = page.at(-1);
        if (last) await read(last.sequence);
      };
      await read(0);
    }
    return all.sort((a, b) => a.sequence - b.sequence);
  }

  async #length(): Promise<number> {
    return (await this.records()).length;
  }

  #nextTurn(checkpoint: agent.ConversationStateStructure | undefined): void {
    const script = this.#scene.turns[++this.#turn];
    if (!script) throw new Error('no further turn');
    const machine = doOnMachine();
    this.#client = new Client(script, this.clock.now(), this.#blobs, checkpoint, machine);
  }

  #read(payload: Uint8Array): void {
    this.#client.read(fromBinary(tandem.EntrySchema, payload), this.clock.now());
  }

  #assemble(subject: string, { set, index, count }: LogRecord['part'], payload: Uint8Array) {
    const parts = this.#parts.get(`${subject} ${set}`) ?? [];
    this.#parts.set(`${subject} ${set}`, parts);
    parts[index] = payload;
    return index === count - 1 ? Buffer.concat(parts) : undefined;
  }

  #worker(signals: MemorySignals, dispatch: MemoryDispatch, entropy: ReturnType<typeof seededEntropy>) {
    const { clock, faults } = this;
    const answers = this.#scene.turns.slice(0, this.#turn + 1).flatMap(({ model }) => model);
    const fault = (error: unknown) => void faults.push(error);
    const pause = () => new Promise<void>((resolve) => clock.after(300, resolve));
    return createWorker({
      workerId: `worker-${this.#turn}`,
      log: this.#log,
      signals,
      leases: new MemoryLeases({ clock }),
      retention: { schedule: async () => {} },
      queue: dispatch.queue(),
      clock,
      entropy,
      models: scriptedModel(clock, answers, this.asked),
      slots: new ModelSlots(10),
      blobStore: {
        get: async (names) => names.map((name) => this.cache.get(name)),
        put: async (entries) => entries.forEach(({ name, sealed }) => void this.cache.set(name, sealed)),
      },
      observers: {
        session: { logicFailed: (_key, error) => fault(error) },
        host: { sessionFailed: (_key, error) => fault(error) },
        calls: () => ({}) as never,
      },
      onBlobCacheFault: fault,
      web: {
        fetch: async (url) => {
          await pause();
          return { url, status: 200, mediaType: 'text/html', text: 'A page.', cut: false };
        },
        search: async (query) => {
          await pause();
          return [{ title: `About ${query}`, url: 'https://example.org/', excerpt: 'An excerpt.' }];
        },
      },
    });
  }
}

/** A turn's journal, from its records. */
export function entriesOf(records: readonly StoredRecord[], requestId: string): PlacedEntry[] {
  const subject = journalSubject(turnKey('user', requestId));
  const sets = new Map<string, Uint8Array[]>();
  return records.flatMap((record) => {
    if (record.subject !== subject) return [];
    const { set, index, count } = record.part;
    const parts = sets.get(set) ?? [];
    sets.set(set, parts);
    parts[index] = record.payload;
    if (index < count - 1) return [];
    return [{ sequence: record.sequence, entry: fromBinary(tandem.EntrySchema, Buffer.concat(parts)) }];
  });
}
