import { create, toBinary } from '@bufbuild/protobuf';
import { TandemError } from '@tandem/errors';
import { type agent, tandem } from '@tandem/proto';
import {
  type CommandIntake,
  commandHistory,
  type LoggedCommand,
  type ReadyAppend,
} from '../commands/command-intake.ts';
import { encodeItem, endItems } from '../journal/entry.ts';
import type { JournalWriter } from '../journal/journal-writer.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import type { Signals } from '../ports/signals.ts';
import { ReaderTracker, readPresence } from '../presence/reader-tracker.ts';
import { presenceSubject, pulseSubject, type TurnKey } from '../subject/turn-key.ts';
import type { Effects } from './effects.ts';
import type { TurnLimits } from './limits.ts';
import type { Decision, Position, RuntimeEffect, TurnInput, TurnLogic } from './logic.ts';

export interface ActorParts<State, Effect extends { readonly type: string }, Result, Local> {
  readonly key: TurnKey;
  readonly logic: TurnLogic<State, Effect, Result, Local>;
  readonly writer: JournalWriter;
  readonly intake: CommandIntake;
  readonly signals: Signals;
  readonly clock: Clock;
  readonly limits: TurnLimits;
  readonly observer: TurnObserver;
  /** The command that opened the generation. */
  readonly opening: LoggedCommand;
  readonly openingRequestId: string;
  readonly generation: number;
  /** How far the command log was read, as the terminal record tells it. */
  readonly consumption: () => { consumedSequence: number; scanSequence: number };
  readonly effects: (input: (input: TurnInput<Result>) => void) => Effects<Effect, Result>;
  /** Called once, when the terminal entry is stored. */
  readonly onEnded: () => void;
}

/** What an actor tells about itself, for metrics and traces. */
export interface TurnObserver {
  /**
   * A client's message is applied (in this process).
   * @param waitedMs how long it waited for those before it; undefined when it came in its turn
   */
  command?(key: TurnKey, message: agent.AgentClientMessage, waitedMs: number | undefined): void;
  /** An item became history (in this process; a takeover does not repeat it). */
  item?(key: TurnKey, item: tandem.Item): void;
  /** The turn's own logic threw: a fault of ours, told with the error. */
  logicFailed?(key: TurnKey, error: unknown): void;
}

const TICK_MS = 1_000;

/**
 * One living generation in this process: takes inputs one at a time, asks the logic, writes what it decides, and
 * starts the effects once that is stored. All of it happens in the event that brought the input; only the log waits.
 */
export class TurnActor<State, Effect extends { readonly type: string }, Result, Local> {
  readonly #parts: ActorParts<State, Effect, Result, Local>;
  readonly #effects: Effects<Effect, Result>;
  readonly #tracker: ReaderTracker;
  readonly #subscription: { close(): void };
  #state: State;
  /** Commands applied since the last entry: they are written with the next items that follow from anything. */
  #unwritten: tandem.Item[] = [];
  #tick: Timer;
  #lastTick: number;
  #lastPulse = 0;
  #over = false;
  /** The turn was told to end with this; its logic has until then to do it in good order. */
  #lastOrders: { readonly error: TandemError; readonly until: number } | undefined;

  constructor(parts: ActorParts<State, Effect, Result, Local>, state: State) {
    this.#parts = parts;
    this.#state = state;
    const now = parts.clock.now();
    this.#lastTick = now;
    this.#tracker = new ReaderTracker(now, parts.limits.presence);
    this.#effects = parts.effects((input) => this.input(input));
    this.#subscription = parts.signals.subscribe(presenceSubject(parts.key), (payload) =>
      this.#presence(payload),
    );
    this.#tick = parts.clock.after(TICK_MS, () => this.#onTick());
    this.#pulse();
  }

  /** Whether the terminal items were decided (they may still be on their way). */
  get over(): boolean {
    return this.#over;
  }

  /** Takes the next command of the log. */
  command(logged: LoggedCommand): void {
    if (this.#over) return;
    const { kind } = logged.command;
    const now = this.#parts.clock.now();
    if (kind.case === 'append') this.#append(logged, kind.value, now);
    else if (kind.case === 'readerClosed') this.#tracker.closed(kind.value.readerId, now);
    else if (kind.case === 'cancel' && Number(kind.value.generation) === this.#parts.generation) {
      this.input({ type: 'superseded' });
    } else if (kind.case === 'responseEnded' && Number(kind.value.generation) === this.#parts.generation) {
      const { requestId, position, trusted } = kind.value;
      if (!position) return;
      const at = { entry: Number(position.entry), item: position.item };
      this.input({ type: 'response_ended', requestId, position: at, trusted });
    }
  }

  /** Lets the logic react to what happened, and carries out what it decides. */
  input(input: TurnInput<Result>): void {
    if (this.#over) return;
    try {
      const { logic, clock } = this.#parts;
      const decision = logic.decide(this.#state, input, clock.now(), this.#position());
      this.#state = decision.state;
      this.#carryOut(decision);
    } catch (error) {
      this.#abandon(error);
    }
  }

  /** Stops at once; what is on its way to the log may still be stored. */
  stop(): void {
    this.#over = true;
    this.#tick.cancel();
    this.#subscription.close();
    this.#effects.stop();
  }

  /** Ends the turn without its logic, which has failed or can't be asked. */
  #abandon(error: unknown): void {
    const fault = TandemError.from(error);
    if (fault.reason === 'internal') this.#parts.observer.logicFailed?.(this.#parts.key, error);
    this.#end(endItems('failed', fault, this.#parts.consumption()));
  }

  #append(logged: LoggedCommand, append: tandem.Append, now: number): void {
    this.#tracker.appended(now);
    const ready = this.#parts.intake.offer(logged, append, now);
    if (ready === 'full') {
      const error = new TandemError('too_many_bytes', { message: 'too much waits behind a gap' });
      this.#orderEnd({ type: 'failed', error }, error, now);
      return;
    }
    for (const next of ready) if (!this.#over) this.#deliver(next);
  }

  /** Applies an append to the state and lets the logic react. */
  #deliver({ sequence, append, waitedMs }: ReadyAppend): void {
    const { requestId } = append;
    const seqno = Number(append.seqno);
    try {
      const history = commandHistory(append);
      const ref = create(tandem.CommandRefSchema, {
        sequence: BigInt(sequence),
        requestId,
        seqno: append.seqno,
      });
      this.#state = this.#parts.logic.evolve(this.#state, history, this.#position());
      this.#unwritten.push(create(tandem.ItemSchema, { kind: { case: 'command', value: ref } }));
      const isAttempt = seqno === 0 && requestId !== this.#parts.openingRequestId;
      const { message } = history;
      this.#parts.observer.command?.(this.#parts.key, message, waitedMs);
      this.input(
        isAttempt ? { type: 'attempt', requestId, message } : { type: 'command', requestId, seqno, message },
      );
    } catch (error) {
      this.#abandon(error);
    }
  }

  #carryOut({ items, effects }: Decision<State, Effect, Result, Local>): void {
    const stored: tandem.Item[] = [];
    let bytes = 0;
    for (const item of items) {
      if (item.kind === 'local') continue;
      const encoded = encodeItem(item, this.#parts.consumption);
      stored.push(...encoded);
      for (const { kind } of encoded) if (kind.case === 'frame') bytes += kind.value.length;
      if (item.kind === 'end') {
        this.#end(stored);
        return;
      }
    }
    const run = effects.length > 0 ? () => this.#run(effects) : undefined;
    if (stored.length > 0) this.#write(stored, bytes, run);
    else if (run) this.#parts.writer.afterStored(run);
  }

  #run(effects: readonly (Effect | RuntimeEffect<Result>)[]): void {
    for (const effect of effects) this.#effects.run(effect);
  }

  #write(items: readonly tandem.Item[], bytes: number, after?: () => void): void {
    const all = this.#unwritten.length > 0 ? [...this.#unwritten, ...items] : items;
    this.#unwritten = [];
    const { observer, key } = this.#parts;
    if (observer.item) for (const item of items) observer.item(key, item);
    this.#parts.writer.push(all, bytes, after);
  }

  /** Where the next item will stand: behind the commands that are written with it. */
  #position(): Position {
    const { entry, item } = this.#parts.writer.nextPosition;
    return { entry, item: item + this.#unwritten.length };
  }

  #end(items: readonly tandem.Item[]): void {
    if (this.#over) return;
    this.#write(items, 0, () => {
      this.#pulse();
      this.#parts.onEnded();
    });
    this.stop();
  }

  #presence(payload: Uint8Array): void {
    const { readerId, leaving } = readPresence(payload);
    const now = this.#parts.clock.now();
    if (leaving) this.#tracker.left(readerId, now);
    else if (this.#tracker.announced(readerId, now)) this.#pulse();
  }

  #onTick(): void {
    const { clock, limits, signals, intake, opening } = this.#parts;
    const now = clock.now();
    const passed = now - this.#lastTick;
    this.#lastTick = now;
    this.#tick = clock.after(TICK_MS, () => this.#onTick());
    if (!signals.connected) this.#tracker.deaf(passed);
    // The nearest tick: the one after may come later than readers wait.
    const due = now - this.#lastPulse >= limits.pulseMs - TICK_MS / 2;
    if (due && this.#tracker.hasReaders(now)) this.#pulse();
    const end = this.#lastOrders;
    if (end && now >= end.until) this.#abandon(end.error);
    else if (this.#tracker.isOrphaned(now))
      this.#orderEnd({ type: 'orphaned' }, new TandemError('client_gone'), now);
    else if (intake.longestGap(now) > limits.gapMs) this.#fail('append_gap', now);
    else if (now - opening.time > limits.lifeMs) this.#fail('run_too_long', now);
  }

  #fail(reason: 'append_gap' | 'run_too_long', now: number): void {
    const error = new TandemError(reason);
    this.#orderEnd({ type: 'failed', error }, error, now);
  }

  /** Tells the logic, once, to end the turn. */
  #orderEnd(input: TurnInput<Result>, error: TandemError, now: number): void {
    if (this.#lastOrders) return;
    this.#lastOrders = { error, until: now + this.#parts.limits.lastOrdersMs };
    this.input(input);
  }

  #pulse(): void {
    this.#lastPulse = this.#parts.clock.now();
    const pulse = create(tandem.PulseSchema, {
      generation: BigInt(this.#parts.generation),
      lastSequence: BigInt(this.#parts.writer.lastSequence),
    });
    this.#parts.signals.publish(pulseSubject(this.#parts.key), toBinary(tandem.PulseSchema, pulse));
  }
}
