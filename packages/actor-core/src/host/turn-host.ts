import { type Pause, pause } from '@tandem/errors';
import type { SessionEnd } from '../actor/session-observer.ts';
import { type SessionDeps, TurnSession } from '../actor/turn-session.ts';
import type { DispatchQueue, JobOutcome } from '../ports/dispatch.ts';
import type { Leases } from '../ports/leases.ts';
import type { TurnKey } from '../subject/turn-key.ts';
import { LeaseKeeper, type LeaseObserver, type LeaseTimes } from './lease-keeper.ts';

export interface HostObserver {
  /** A job failed before the journal's epoch was acquired; it is tried again. */
  sessionFailed?(key: TurnKey, error: unknown): void;
  /** The number of turns in this process changed. */
  turns?(count: number): void;
}

export interface HostDeps<State, Effect extends { readonly type: string }, Result, Local>
  extends SessionDeps<State, Effect, Result, Local> {
  readonly leases: Leases;
  readonly queue: DispatchQueue;
  readonly leaseTimes?: LeaseTimes;
  readonly hostObserver?: HostObserver & LeaseObserver;
}

/** Between two looks at a lease that another worker holds, or at a log that is away. */
const WATCH_MS = 500;

/** Runs the turns that the queue hands to this process. */
export class TurnHost<State, Effect extends { readonly type: string }, Result, Local> {
  readonly #deps: HostDeps<State, Effect, Result, Local>;
  readonly #keeper: LeaseKeeper;
  readonly #sessions = new Set<TurnSession<State, Effect, Result, Local>>();
  readonly #pauses = new Set<Pause>();
  /** By name, the turns that a job of this process looks after. */
  readonly #attended = new Map<string, TurnSession<State, Effect, Result, Local>>();
  #handingOver = false;

  constructor(deps: HostDeps<State, Effect, Result, Local>) {
    this.#deps = deps;
    const { leases, clock, hostObserver: observer, leaseTimes: times } = deps;
    this.#keeper = new LeaseKeeper({ leases, clock, observer, times }, deps.workerId);
  }

  /** Turns that this process runs now. */
  get turns(): number {
    return this.#sessions.size;
  }

  async start(): Promise<void> {
    await this.#deps.queue.start((key) => this.#handle(key));
  }

  /**
   * Takes no new turns, lets the running ones finish for the grace period, then hands the rest to other workers.
   * @param graceMs milliseconds
   */
  async drain(graceMs: number): Promise<void> {
    await this.#deps.queue.pause();
    const { clock } = this.#deps;
    const deadline = clock.now() + graceMs;
    while (this.#sessions.size > 0 && clock.now() < deadline) {
      await this.#pause(Math.min(WATCH_MS, deadline - clock.now()));
    }
    this.#handingOver = true;
    for (const { cut } of this.#pauses) cut();
    await Promise.all([...this.#sessions].map((session) => session.handOver()));
    await this.#deps.queue.close();
  }

  /** Holds the job until the turn needs nothing more, or another process is to have it. */
  async #handle(key: TurnKey): Promise<JobOutcome> {
    const name = `${key.owner}.${key.turn}`;
    while (!this.#handingOver) {
      // A job whose lock was lost may come back to the process that still runs its turn, and has the lease.
      const running = this.#attended.get(name);
      if (running) this.#verify(key, running);
      const end = running ? 'away' : await this.#attend(key, name);
      if (end === 'done') return 'done';
      if (end === 'away' || end === 'deposed') await this.#pause(WATCH_MS);
    }
    return 'requeue';
  }

  /** Runs the turn if nobody else does. */
  async #attend(key: TurnKey, name: string): Promise<SessionEnd | 'away'> {
    const session = new TurnSession(this.#deps, key);
    this.#attended.set(name, session);
    const lost = () => session.stop();
    try {
      if (!(await this.#keeper.acquire(name, lost, () => this.#verify(key, session)))) return 'away';
      this.#add(session);
      return this.#handingOver ? 'away' : await session.run();
    } catch (error) {
      this.#deps.hostObserver?.sessionFailed?.(key, error);
      return 'away';
    } finally {
      this.#remove(session);
      await this.#keeper.release(name);
      this.#attended.delete(name);
    }
  }

  /** Another worker may have run the turn meanwhile, and this one, with nothing to write, not have noticed. */
  #verify(key: TurnKey, session: TurnSession<State, Effect, Result, Local>): void {
    session.verify().catch((error) => this.#deps.hostObserver?.sessionFailed?.(key, error));
  }

  #add(session: TurnSession<State, Effect, Result, Local>): void {
    this.#sessions.add(session);
    this.#deps.hostObserver?.turns?.(this.#sessions.size);
  }

  #remove(session: TurnSession<State, Effect, Result, Local>): void {
    if (this.#sessions.delete(session)) this.#deps.hostObserver?.turns?.(this.#sessions.size);
  }

  /** Waits, but no longer than until the turns are to be handed over. */
  async #pause(ms: number): Promise<void> {
    const waiting = pause(this.#deps.clock, ms);
    this.#pauses.add(waiting);
    await waiting.over;
    this.#pauses.delete(waiting);
  }
}
