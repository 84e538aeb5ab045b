import type {
  Clock,
  SessionEnd,
  SessionObserver,
  SessionStart,
  TurnFacts,
  TurnKey,
} from '@tandem/actor-core';
import { tandem } from '@tandem/proto';
import { type Asked, askedBy, type ExchangeEnd, endedBy } from './exchange.ts';

/** A turn that this process works on, as metrics, traces and logs know it. */
export interface WatchedTurn {
  readonly key: TurnKey;
  readonly start: SessionStart;
  /** Since when this process has it, milliseconds since 1970. */
  readonly since: number;
  phase: tandem.Phase | undefined;
  /** Empty until it is known. */
  conversationId: string;
  /** Where its trace goes on, while it is traced. */
  trace: { readonly traceparent: string; readonly traceId: string } | undefined;
}

/** What the client was asked, and when. */
export interface Exchange extends Asked {
  readonly askedAt: number;
}

/** Told of what becomes of turns. Times in milliseconds. */
export interface TurnSink {
  started?(turn: WatchedTurn): void;
  /** @param ms how long this process saw the turn in the phase that is over */
  phase?(turn: WatchedTurn, from: tandem.Phase, to: tandem.Phase, ms: number): void;
  /** An append came before those that were due first. */
  reordered?(turn: WatchedTurn, ms: number): void;
  asked?(turn: WatchedTurn, exchange: Exchange): void;
  answered?(turn: WatchedTurn, exchange: Exchange, end: ExchangeEnd, ms: number): void;
  /** @param ms since the generation was opened, by whatever process; undefined when that is not known */
  ended?(turn: WatchedTurn, ended: tandem.Ended, ms: number | undefined): void;
  /** Another process claimed its journal. */
  deposed?(turn: WatchedTurn): void;
  left?(turn: WatchedTurn, end: SessionEnd): void;
}

interface Watch extends WatchedTurn {
  phaseSince: number;
  readonly exchanges: Map<number, Exchange>;
}

/** Follows the turns of this process, and tells its sinks what happens to them in their own words. */
export class TurnWatch {
  readonly observer: SessionObserver;
  readonly #clock: Clock;
  readonly #sink: TurnSink;
  readonly #turns = new Map<string, Watch>();
  /** A turn's facts are made of one decoded message, and so is all that it asks of its process. */
  readonly #byInfo = new WeakMap<tandem.RequestInfo, Watch>();

  constructor(clock: Clock, sinks: readonly TurnSink[]) {
    this.#clock = clock;
    this.#sink = tellAll(sinks);
    this.observer = {
      started: (key, start) => this.#started(key, start),
      command: (key, message, waitedMs) => {
        this.#with(key, (turn) => {
          const { message: said } = message;
          if (said.case === 'runRequest')
            turn.conversationId = said.value.conversationId ?? turn.conversationId;
          if (waitedMs !== undefined) this.#sink.reordered?.(turn, waitedMs);
          const over = endedBy(message);
          if (over) this.#answered(turn, over.id, over.end);
        });
      },
      item: (key, item) => this.#with(key, (turn) => this.#item(turn, item)),
      traceparent: (key) => this.#turns.get(nameOf(key))?.trace?.traceparent,
      deposed: (key) => this.#with(key, (turn) => this.#sink.deposed?.(turn)),
      left: (key, end) => {
        this.#with(key, (turn) => this.#sink.left?.(turn, end));
        this.#turns.delete(nameOf(key));
      },
    };
  }

  /** The turn of these facts, if this process has it. */
  turnOf({ info }: TurnFacts): WatchedTurn | undefined {
    return this.#byInfo.get(info);
  }

  /** The turn of this key, if this process has it. */
  turn(key: TurnKey): WatchedTurn | undefined {
    return this.#turns.get(nameOf(key));
  }

  #started(key: TurnKey, start: SessionStart): void {
    const now = this.#clock.now();
    const turn: Watch = {
      key,
      start,
      since: now,
      phase: 'phase' in start ? start.phase : undefined,
      phaseSince: now,
      conversationId: '',
      trace: undefined,
      exchanges: new Map(),
    };
    this.#turns.set(nameOf(key), turn);
    if ('facts' in start) this.#byInfo.set(start.facts.info, turn);
    this.#sink.started?.(turn);
  }

  #item(turn: Watch, item: tandem.Item): void {
    const { kind } = item;
    if (kind.case === 'record' && kind.value.kind.case === 'phase')
      this.#phase(turn, kind.value.kind.value.phase);
    else if (kind.case === 'ended') {
      const { value } = kind;
      const ms = 'openedAt' in turn.start ? this.#clock.now() - turn.start.openedAt : undefined;
      this.#sink.ended?.(turn, value, ms);
    }
    const asked = askedBy(item);
    if (!asked) return;
    const exchange = { ...asked, askedAt: this.#clock.now() };
    turn.exchanges.set(asked.id, exchange);
    this.#sink.asked?.(turn, exchange);
  }

  #phase(turn: Watch, to: tandem.Phase): void {
    const now = this.#clock.now();
    const { phase: from = tandem.Phase.CREATED, phaseSince } = turn;
    turn.phase = to;
    turn.phaseSince = now;
    this.#sink.phase?.(turn, from, to, now - phaseSince);
  }

  #answered(turn: Watch, id: number, end: ExchangeEnd): void {
    const exchange = turn.exchanges.get(id);
    if (!exchange) return;
    turn.exchanges.delete(id);
    const ms = this.#clock.now() - exchange.askedAt;
    this.#sink.answered?.(turn, exchange, end, ms);
  }

  #with(key: TurnKey, run: (turn: Watch) => void): void {
    const turn = this.#turns.get(nameOf(key));
    if (turn) run(turn);
  }
}

function nameOf({ owner, turn }: TurnKey): string {
  return `${owner}.${turn}`;
}

type Told = (...told: unknown[]) => unknown;

/**
 * One observer for a list of them: each is told, in the list's order. What an observer is asked is answered by the first
 * that says something. It has no member that none of them has.
 */
export function tellAll<Observer extends object>(observers: readonly Observer[]): Observer {
  const names = new Set(observers.flatMap((observer) => Object.keys(observer)));
  const tell =
    (name: string): Told =>
    (...told) => {
      let answer: unknown;
      for (const observer of observers) {
        const said = (observer as Record<string, Told | undefined>)[name]?.(...told);
        answer ??= said;
      }
      return answer;
    };
  return Object.fromEntries([...names].map((name) => [name, tell(name)])) as Observer;
}
