import type { agent } from '@tandem/proto';
import type { RequestNames } from '../services/gateway.ts';
import type { Http } from '../services/http.ts';
import type { History } from '../world/history.ts';
import type { Process } from '../world/process.ts';
import type { Random } from '../world/random.ts';
import { type ClientMessage, encode, hex, kvAnswerTo } from './answers.ts';
import type { AppendRecord, AttemptEnd, AttemptRecord, StreamRecord } from './attempt-record.ts';
import type { Behaviour } from './behaviour.ts';
import { Executor } from './executor.ts';
import { classOfAppend, classOfEnd } from './fault-class.ts';
import type { Machine } from './machine.ts';
import { readStream } from './stream-reader.ts';

export interface AttemptDeps {
  readonly process: Process;
  readonly http: Http;
  readonly random: Random;
  readonly history: History;
  readonly machine: Machine;
  readonly behaviour: Behaviour;
}

const HEARTBEAT_MS = 5_000;
const STALL_MS = 30_000;
const IN_FLIGHT = 16;
const APPEND_TIMEOUT_MS = 60_000;
const REATTACH_MS = 1_000;
/** A client of ours gives up on a stream or an append after so many tries. */
const TRIES = 60;

/** One attempt at a turn: both channels, heartbeats, answers, the end (protocol B). */
export class Attempt {
  readonly record: AttemptRecord;
  readonly done: Promise<AttemptEnd>;
  readonly #deps: AttemptDeps;
  readonly #names: RequestNames;
  readonly #executor: Executor;
  readonly #queue: (() => void)[] = [];
  #settle!: (end: AttemptEnd) => void;
  #seqno = 0;
  #inFlight = 0;
  #stream: { close(): void } | undefined;
  #streamTries = 0;
  #frames = 0;
  #stall: { cancel(): void } | undefined;
  #heartbeat: { cancel(): void } | undefined;

  constructor(
    deps: AttemptDeps,
    names: RequestNames,
    resumedFrom: agent.ConversationStateStructure | undefined,
  ) {
    this.#deps = deps;
    this.#names = names;
    const { requestId } = names;
    this.#executor = new Executor({ ...deps, requestId, send: (message) => this.#send(message) });
    this.record = {
      requestId,
      startedAt: deps.history.now,
      resumedFrom,
      streams: [],
      appends: [],
      text: '',
      checkpoint: undefined,
      turnEnded: false,
      terminal: false,
      end: undefined,
    };
    this.done = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  start(firstMessage: ClientMessage): void {
    const { process, behaviour } = this.#deps;
    const open = () => this.#open();
    const say = () => this.#send(firstMessage);
    const [first, second] = behaviour.streamFirst ? [open, say] : [say, open];
    first();
    process.clock.after(behaviour.gapMs, second);
    this.#beat();
    this.#alive();
  }

  /** Drops both channels. */
  end(end: AttemptEnd): void {
    if (this.record.end) return;
    this.record.end = end;
    this.#stall?.cancel();
    this.#heartbeat?.cancel();
    this.#queue.length = 0;
    const stream = this.record.streams.at(-1);
    if (stream && !stream.over) stream.over = 'closed';
    this.#stream?.close();
    this.#executor.end();
    this.#settle(end);
  }

  #open(): void {
    if (this.record.end) return;
    const { http, process, history, behaviour } = this.#deps;
    if (behaviour.readMs > 0) history.count('fault: slow reader');
    const record: StreamRecord = {
      requestId: this.#names.requestId,
      openedAt: history.now,
      received: this.#frames,
      frames: [],
      times: [],
      heartbeats: [],
      endStream: false,
      over: undefined,
    };
    this.record.streams.push(record);
    const events = readStream(record, () => history.now, {
      alive: () => {
        this.#streamTries = 0;
        this.#alive();
      },
      frame: (message) => this.#frame(message),
      over: (end) => this.#over(classOfEnd(end, this.record), end === undefined),
    });
    this.#stream = http.open(
      process,
      this.#names,
      { received: record.received, readMs: behaviour.readMs },
      events,
    );
  }

  #over(end: AttemptEnd, mayReattach: boolean): void {
    if (this.record.end) return;
    const { behaviour, process, history } = this.#deps;
    const reattaches =
      behaviour.kind === 'reattaching' && mayReattach && end.kind !== 'well' && this.#streamTries < TRIES;
    if (!reattaches) {
      this.#stall?.cancel();
      if (end.kind === 'well') this.#whenAnswered(() => this.end(end));
      else this.end(end);
      return;
    }
    this.#streamTries += 1;
    history.count('stream opened again');
    this.#alive();
    process.clock.after(REATTACH_MS, () => this.#open());
  }

  /** An attempt waits for what it has sent. */
  #whenAnswered(then: () => void): void {
    if (this.record.end) return;
    this.#heartbeat?.cancel();
    if (this.#inFlight === 0) then();
    else this.#deps.process.clock.after(50, () => this.#whenAnswered(then));
  }

  #alive(): void {
    if (this.record.end) return;
    this.#stall?.cancel();
    this.#stall = this.#deps.process.clock.after(STALL_MS, () => {
      this.#deps.history.count('client stalled');
      const stream = this.record.streams.at(-1);
      if (stream && !stream.over) stream.over = 'closed';
      this.#stream?.close();
      this.#over(classOfEnd(undefined, this.record), true);
    });
  }

  #beat(): void {
    this.#heartbeat = this.#deps.process.clock.after(HEARTBEAT_MS, () => {
      this.#send({ case: 'clientHeartbeat', value: {} });
      this.#beat();
    });
  }

  #frame(message: agent.AgentServerMessage): void {
    if (this.record.end) return;
    this.#frames += 1;
    this.#note(message);
    this.#answer(message);
  }

  #answer({ message }: agent.AgentServerMessage): void {
    const { behaviour, process, random, machine } = this.#deps;
    if (message.case === 'kvServerMessage') {
      const answer = kvAnswerTo(message.value, machine.blobs, (id) => this.#refuses(id));
      process.clock.after(random.int(0, behaviour.answerMs), () => this.#send(answer));
    } else if (message.case === 'execServerMessage') this.#executor.exec(message.value);
    else if (message.case === 'interactionQuery') this.#executor.query(message.value);
    else if (message.case === 'execServerControlMessage' && message.value.message.case === 'abort')
      this.#executor.abort(message.value.message.value.id);
  }

  #note({ message }: agent.AgentServerMessage): void {
    const { record } = this;
    if (message.case === 'conversationCheckpointUpdate') {
      record.checkpoint = message.value;
      record.terminal = record.turnEnded;
    } else if (message.case === 'interactionUpdate') {
      const update = message.value.message;
      if (update.case === 'textDelta') record.text += update.value.text;
      if (update.case === 'turnEnded') record.turnEnded = true;
    }
  }

  #refuses(blobId: string): boolean {
    const { random, behaviour, history, machine } = this.#deps;
    const { blobs } = machine;
    if (blobs.refused.has(blobId) || !random.chance(behaviour.refuseBlobChance)) return false;
    history.count('fault: blob refused');
    blobs.refused.add(blobId);
    return true;
  }

  #send(message: ClientMessage): void {
    if (this.record.end) return;
    const append: AppendRecord = {
      seqno: this.#seqno++,
      message: encode(message),
      tries: 0,
      acknowledgedAt: undefined,
    };
    this.record.appends.push(append);
    const post = () => {
      this.#inFlight += 1;
      void this.#post(append, 1).finally(() => {
        this.#inFlight -= 1;
        this.#queue.shift()?.();
      });
    };
    if (this.#inFlight < IN_FLIGHT) post();
    else this.#queue.push(post);
  }

  async #post(append: AppendRecord, tries: number): Promise<void> {
    const { http, process, random, behaviour, history } = this.#deps;
    const { seqno, message } = append;
    append.tries = tries;
    const slow = random.chance(behaviour.slowUploadChance);
    if (slow) history.count('fault: slow upload');
    try {
      await http.append(process, {
        names: this.#names,
        seqno,
        message,
        uploadMs: random.int(0, slow ? behaviour.slowUploadMs : behaviour.uploadMs),
        timeoutMs: APPEND_TIMEOUT_MS,
        repeated: random.chance(behaviour.repeatChance),
      });
      append.acknowledgedAt ??= history.now;
      history.note('acknowledged', `${this.#names.requestId}#${seqno}`);
      this.#forge(append);
    } catch (fault) {
      if (this.record.end) return;
      const end = classOfAppend(fault);
      history.note('append failed', `${this.#names.requestId}#${seqno} ${'reason' in end ? end.reason : ''}`);
      if (behaviour.kind !== 'reattaching' || end.kind === 'final' || tries >= TRIES) {
        return this.end(this.record.terminal ? { kind: 'well' } : end);
      }
      await new Promise<void>((resolve) => process.clock.after(REATTACH_MS, resolve));
      if (!this.record.end) await this.#post(append, tries + 1);
    }
  }

  /** Sends something else under a number that is taken: it must change nothing. */
  #forge({ seqno }: AppendRecord): void {
    const { http, process, random, behaviour, history } = this.#deps;
    if (!random.chance(behaviour.forgeChance)) return;
    history.count('fault: number used twice');
    const text = `forged ${hex(Buffer.from(this.#names.requestId))}`;
    const action = { case: 'cancelAction', value: { reason: text } } as const;
    const message = encode({ case: 'conversationAction', value: { action } });
    const options = {
      names: this.#names,
      seqno,
      message,
      uploadMs: 0,
      timeoutMs: APPEND_TIMEOUT_MS,
      repeated: false,
    };
    http.append(process, options).catch(() => {});
  }
}
