import { fromBinary } from '@bufbuild/protobuf';
import { agent, tandem } from '@tandem/proto';
import { type Held, Inbox, type InboxLimits } from '../inbox/inbox.ts';
import type { Message } from '../parts/assembler.ts';

/** A command with its place and time in the log. */
export interface LoggedCommand {
  readonly sequence: number;
  readonly time: number;
  /** The command's name in the log; a repeated publish bears the same. */
  readonly set: string;
  readonly command: tandem.Command;
}

/** @throws Error when the bytes are no command (nobody but gateways and actors writes there) */
export function readCommand(message: Message): LoggedCommand {
  return {
    sequence: message.sequence,
    time: message.time,
    set: message.set,
    command: fromBinary(tandem.CommandSchema, message.payload),
  };
}

/**
 * The append that opens the next generation: the first seqno 0 behind what is consumed.
 * @param openedSet the opening command of the last generation, whose late repetition opens nothing
 */
export function findOpening(
  commands: readonly LoggedCommand[],
  consumed: number,
  openedSet: string | undefined,
): LoggedCommand | undefined {
  return commands.find((c) => c.sequence > consumed && isFirstAppend(c) && c.set !== openedSet);
}

/** The append that a command is; undefined for a notice. */
export function appendOf({ command }: LoggedCommand): tandem.Append | undefined {
  return command.kind.case === 'append' ? command.kind.value : undefined;
}

/** Whether a command is the first of its request. */
export function isFirstAppend({ command }: LoggedCommand): boolean {
  return command.kind.case === 'append' && command.kind.value.seqno === 0n;
}

export interface ReadyAppend {
  readonly sequence: number;
  readonly append: tandem.Append;
  /** How long it waited for those before it, milliseconds; undefined when all of them were there. */
  readonly waitedMs: number | undefined;
}

/** An append, and since when this process has it. */
interface Arrived {
  readonly append: tandem.Append;
  readonly at: number;
}

/** Sorts a generation's appends into one inbox a request. */
export class CommandIntake {
  readonly #opening: LoggedCommand;
  readonly #consumed: number;
  readonly #stragglers: Stragglers;
  readonly #limits: InboxLimits;
  readonly #nextSeqno: ReadonlyMap<string, number>;
  readonly #inboxes = new Map<string, Inbox<Arrived>>();
  readonly #gapSince = new Map<string, number>();

  /**
   * @param opening the append that opened the generation
   * @param nextSeqno by request, what the history has applied already
   */
  constructor(
    opening: LoggedCommand,
    before: Predecessor,
    nextSeqno: ReadonlyMap<string, number>,
    limits: InboxLimits,
  ) {
    this.#opening = opening;
    this.#consumed = before.consumed;
    this.#stragglers = new Stragglers(opening, before);
    this.#nextSeqno = nextSeqno;
    this.#limits = limits;
  }

  /**
   * Takes a logged append.
   * @returns the appends that are now due, in order; `full` when too much waits behind a gap
   */
  offer(logged: LoggedCommand, append: tandem.Append, now: number): ReadyAppend[] | 'full' {
    const { sequence } = logged;
    const seqno = Number(append.seqno);
    if (sequence <= this.#consumed || this.#stragglers.includes(append.requestId, seqno, logged)) return [];
    const inbox = this.#inboxOf(append.requestId);
    const offer = inbox.offer({ seqno, sequence, bytes: append.message.length, value: { append, at: now } });
    if (offer === 'full') return 'full';
    const ready: ReadyAppend[] = [];
    for (let held: Held<Arrived> | undefined = inbox.take(); held; held = inbox.take()) {
      const { append: due, at } = held.value;
      ready.push({ sequence: held.sequence, append: due, waitedMs: due === append ? undefined : now - at });
    }
    this.#noteGap(append.requestId, inbox, now, ready.length > 0);
    return ready;
  }

  /** How long the longest gap has been open, milliseconds. */
  longestGap(now: number): number {
    let longest = 0;
    for (const since of this.#gapSince.values()) longest = Math.max(longest, now - since);
    return longest;
  }

  #inboxOf(requestId: string): Inbox<Arrived> {
    let inbox = this.#inboxes.get(requestId);
    if (!inbox) {
      // Without a generation before, nothing can be a straggler of it: what came first under a number counts.
      const openedAt = this.#consumed > 0 ? this.#opening.sequence : 0;
      inbox = new Inbox(openedAt, this.#nextSeqno.get(requestId) ?? 0, this.#limits);
      this.#inboxes.set(requestId, inbox);
    }
    return inbox;
  }

  #noteGap(requestId: string, inbox: Inbox<Arrived>, now: number, moved: boolean): void {
    // A request whose first append never came is none of this generation's business.
    if (!inbox.hasGap || inbox.next === 0) this.#gapSince.delete(requestId);
    else if (moved || !this.#gapSince.has(requestId)) this.#gapSince.set(requestId, now);
  }
}

/** A command's place in its log, and when it was stored. */
interface Logged {
  readonly sequence: number;
  readonly time: number;
}

/** What is known of the generation before the one that is taken up. */
export interface Predecessor {
  /** Commands up to here were its own; 0 when there was none. */
  readonly consumed: number;
  /** By request, the seqno behind the last that it applied; undefined when its entries are gone. */
  readonly applied: ReadonlyMap<string, number> | undefined;
  /** How long after its end a generation's logs are kept, milliseconds: what is left of a purged one is older. */
  readonly keptMs: number;
}

/**
 * Tells which appends, logged before the one that opens a generation, are late ones of the generation before. A client
 * that uses a request id again has had all its appends answered before; so in the log the late ones come first, and go
 * on where that generation stopped to apply, while those of the new one begin with low numbers.
 */
export class Stragglers {
  readonly #opening: Logged;
  readonly #before: Predecessor;
  /** Requests whose appends have begun anew. */
  readonly #begun = new Set<string>();

  constructor(opening: Logged, before: Predecessor) {
    this.#opening = opening;
    this.#before = before;
  }

  /** Takes the appends behind what was consumed, in the order of the log. */
  includes(requestId: string, seqno: number, { sequence, time }: Logged): boolean {
    const { applied, keptMs } = this.#before;
    if (sequence >= this.#opening.sequence) return false;
    // What a client says while a first message of the largest size is uploaded is not as old.
    if (!applied) return time < this.#opening.time - (keptMs * 2) / 3;
    const stoppedAt = applied.get(requestId);
    if (stoppedAt === undefined || seqno < stoppedAt) this.#begun.add(requestId);
    return !this.#begun.has(requestId);
  }
}

/** An append as history. @throws TandemError internal when its message, validated by a gateway, cannot be decoded */
export function commandHistory(append: tandem.Append) {
  return {
    kind: 'command',
    requestId: append.requestId,
    seqno: Number(append.seqno),
    message: fromBinary(agent.AgentClientMessageSchema, append.message),
    info: append.info,
  } as const;
}
