import { TandemError } from '@tandem/errors';
import type { tandem } from '@tandem/proto';
import { appendOf, CommandIntake, type LoggedCommand, readCommand } from '../commands/command-intake.ts';
import type { Follower } from '../follow/follower.ts';
import { follow } from '../follow/log-follower.ts';
import { type Consumption, endItems, higherEpochVoids, ownerItems } from '../journal/entry.ts';
import { type JournalView, viewJournal } from '../journal/journal-view.ts';
import { Deposed, JournalWriter } from '../journal/journal-writer.ts';
import { readThrough } from '../journal/read-through.ts';
import type { Clock, Entropy } from '../ports/clock.ts';
import type { Retention } from '../ports/dispatch.ts';
import type { Log } from '../ports/log.ts';
import type { Signals } from '../ports/signals.ts';
import { commandSubject, journalSubject, type TurnKey } from '../subject/turn-key.ts';
import { answerAttempts } from './answer-attempts.ts';
import { Effects } from './effects.ts';
import { factsOf, foldHistory } from './fold.ts';
import type { TurnLimits } from './limits.ts';
import type { EffectRunner, TurnLogic } from './logic.ts';
import { type SessionEnd, type SessionObserver, startOf } from './session-observer.ts';
import { checkStillStored, consumedBefore, planSession, type SessionPlan } from './session-plan.ts';
import { TurnActor } from './turn-actor.ts';

export interface SessionDeps<State, Effect extends { readonly type: string }, Result, Local> {
  readonly log: Log;
  readonly signals: Signals;
  readonly retention: Retention;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logic: TurnLogic<State, Effect, Result, Local>;
  readonly runner: EffectRunner<Effect, Result>;
  readonly limits: TurnLimits;
  readonly observer: SessionObserver;
  readonly workerId: string;
}

/**
 * One process's work on one turn.
 *
 *     reads both logs ──▶ plan ──▶ idle                                        done
 *                          │
 *                          ├─▶ open    acquires an epoch, runs the actor ──▶   done, when the turn's end is stored
 *                          ├─▶ resume  the same, behind the folded history     (deposed, stopped or again before)
 *                          ├─▶ answer  acquires an epoch, writes answers ──▶   again: there may be more
 *                          └─▶ broken  acquires an epoch, fails the turn ──▶   done
 *
 * `stop` and a fault end it from anywhere. What it ends with is settled once, by the first who says so.
 */
export class TurnSession<State, Effect extends { readonly type: string }, Result, Local> {
  readonly #deps: SessionDeps<State, Effect, Result, Local>;
  readonly #key: TurnKey;
  readonly #backlog: LoggedCommand[] = [];
  #follower: Follower | undefined;
  #writer: JournalWriter | undefined;
  #actor: TurnActor<State, Effect, Result, Local> | undefined;
  /** The last command that belongs to what this session works on, should that end now. */
  #consumed = 0;
  /** Commands that were read belong to the next generation. */
  #commandsLeft = false;
  #end!: (end: SessionEnd) => void;
  readonly #ended = new Promise<SessionEnd>((resolve) => {
    this.#end = resolve;
  });
  #stopped = false;
  /** Takeovers since the last checkpoint before this process took the turn up, its own included. */
  #takeovers = 0;
  /** What the terminal record said; commands that came later are the next generation's. */
  #terminal: Consumption | undefined;

  constructor(deps: SessionDeps<State, Effect, Result, Local>, key: TurnKey) {
    this.#deps = deps;
    this.#key = key;
  }

  /** @throws LogUnavailable when the log is away before an epoch was acquired */
  async run(): Promise<SessionEnd> {
    try {
      const view = await this.#readLogs();
      if (this.#stopped) return 'stopped';
      const plan = planSession(view, this.#backlog);
      if (plan.kind === 'idle') return 'done';
      if (plan.kind === 'open') await checkStillStored(this.#deps, this.#key, plan.opening);
      return await this.#work(view, plan);
    } finally {
      this.stop();
    }
  }

  async #work(view: JournalView, plan: Exclude<SessionPlan, { kind: 'idle' }>): Promise<SessionEnd> {
    const { observer } = this.#deps;
    observer.started?.(this.#key, startOf(view, plan));
    let end: SessionEnd = 'again';
    try {
      this.#acquireEpoch(view, plan);
      if (plan.kind === 'answer') await this.#answer(view, plan.attempts);
      else if (plan.kind === 'broken')
        this.#giveUp(new TandemError('internal', { message: 'the history is not whole' }));
      else this.#startActor(view, plan);
      end = await this.#ended;
      return end;
    } finally {
      observer.left?.(this.#key, end);
    }
  }

  /** Stops at once; somebody else has the turn, or may have it. */
  stop(): void {
    this.#stopped = true;
    this.#actor?.stop();
    this.#follower?.close();
    this.#writer?.stop();
    this.#end('stopped');
  }

  /** Ends, deposed, if another process has acquired a later epoch. @throws LogUnavailable */
  readonly verify = async (): Promise<void> => this.#writer?.verify();

  /** Stops in good order: what was decided is stored first, so that the next owner goes on from there. */
  async handOver(): Promise<void> {
    this.#actor?.stop();
    this.#follower?.close();
    // The next takeover is no sign of a turn that kills its workers: it takes the place of this one's in the count.
    if (this.#actor && !this.#terminal)
      this.#writer?.push(this.#ownerItems(Math.max(0, this.#takeovers - 1)), 0);
    await this.#writer?.flushed();
    this.stop();
  }

  async #readJournal(): Promise<JournalView> {
    const subject = journalSubject(this.#key);
    const { openPatienceMs } = this.#deps.limits;
    const voids = higherEpochVoids;
    const { messages, last } = await readThrough(this.#deps, subject, 0, openPatienceMs, { voids });
    return viewJournal(messages, last);
  }

  /** Reads both logs at the same time: most turns are new, and wait for nothing else. */
  async #readLogs(): Promise<JournalView> {
    const follower = this.#followCommands();
    const view = await this.#readJournal();
    await follower.caughtUp;
    // A history refers to commands, all stored before it was; those may be newer than the first look at their log.
    if (view.lastSequence > 0) await follower.verify();
    const { scanSequence } = consumedBefore(view);
    const earlier = this.#backlog.filter(({ sequence }) => sequence <= scanSequence).length;
    this.#backlog.splice(0, earlier);
    return view;
  }

  #followCommands(): Follower {
    this.#follower = follow({ ...this.#deps, backlogLikely: true }, commandSubject(this.#key), 0, {
      message: (message) => {
        const command = readCommand(message);
        this.#consumed = Math.max(this.#consumed, command.sequence);
        if (this.#actor) this.#actor.command(command);
        else this.#backlog.push(command);
      },
      failed: (error, ended) => {
        if (ended) this.#fault(error);
      },
    });
    return this.#follower;
  }

  /** From here on every entry of an older epoch is refused; the epoch itself goes out with the first items. */
  #acquireEpoch(view: JournalView, plan: SessionPlan): void {
    const opens = plan.kind === 'open';
    const generation = opens ? plan.opening.sequence : view.generation;
    const place = {
      generation,
      epoch: view.lastEpoch + 1,
      writerId: this.#deps.entropy.id(),
      mayBePurged: plan.kind === 'open' || plan.kind === 'answer',
      lastSequence: view.lastSequence,
      lastNumber: opens ? 0 : view.lastNumber,
    };
    this.#writer = new JournalWriter(this.#deps, journalSubject(this.#key), place, (error) =>
      this.#fault(error),
    );
  }

  #startActor(view: JournalView, plan: Extract<SessionPlan, { kind: 'open' | 'resume' }>): void {
    const { opening } = plan;
    const generation = opening.sequence;
    const append = appendOf(opening);
    const facts = factsOf(generation, append);
    const bySequence = new Map(this.#backlog.map((c) => [c.sequence, appendOf(c)]));
    const entries = plan.kind === 'resume' ? view.entries : [];
    let folded: ReturnType<typeof foldHistory<State, Local>>;
    try {
      folded = foldHistory(this.#deps.logic, facts, entries, (sequence) => bySequence.get(sequence));
    } catch (error) {
      this.#deps.observer.logicFailed?.(this.#key, error);
      this.#giveUp(TandemError.from(error));
      return;
    }
    const takeovers = plan.kind === 'resume' ? folded.takeovers + 1 : 0;
    this.#takeovers = takeovers;
    this.#writer?.push(this.#ownerItems(takeovers, plan.kind === 'open' ? opening : undefined), 0);
    const { consumedSequence } = consumedBefore(view);
    const { inbox, retentionMs: keptMs } = this.#deps.limits;
    const before = { consumed: consumedSequence, applied: view.applied, keptMs };
    const intake = new CommandIntake(opening, before, folded.nextSeqno, inbox);
    this.#actor = this.#createActor(opening, facts, intake, folded.state);
    this.#consumed = Math.max(opening.sequence, folded.lastCommand);
    if (plan.kind === 'resume') {
      if (takeovers > this.#deps.limits.takeovers) {
        this.#actor.input({ type: 'failed', error: new TandemError('takeover_limit') });
      } else this.#actor.input({ type: 'resumed' });
    }
    // Whatever stands behind the command that ends the generation is the next one's.
    for (const command of this.#backlog.splice(0)) {
      if (this.#actor.over) {
        this.#commandsLeft = true;
        return;
      }
      this.#consumed = Math.max(this.#consumed, command.sequence);
      this.#actor.command(command);
    }
  }

  #createActor(
    opening: LoggedCommand,
    facts: ReturnType<typeof factsOf>,
    intake: CommandIntake,
    state: State,
  ): TurnActor<State, Effect, Result, Local> {
    const { generation, requestId } = facts;
    const candidate = { key: this.#key, generation, openedAt: opening.time };
    return new TurnActor(
      {
        ...this.#deps,
        key: this.#key,
        writer: this.#writer as JournalWriter,
        intake,
        opening,
        openingRequestId: requestId,
        generation,
        consumption: () => this.#consumption(),
        effects: (input) => new Effects(this.#deps, candidate, facts, input),
        onEnded: () => void this.#finish(this.#commandsLeft ? 'again' : 'done'),
      },
      state,
    );
  }

  #ownerItems(takeovers: number, opening?: LoggedCommand): tandem.Item[] {
    const traceparent = this.#deps.observer.traceparent?.(this.#key) ?? '';
    const owner = { workerId: this.#deps.workerId, takeovers, traceparent };
    const requestId = opening && (appendOf(opening)?.requestId ?? '');
    return ownerItems(owner, opening && { requestId, commandSet: opening.set });
  }

  async #answer(view: JournalView, attempts: readonly LoggedCommand[]): Promise<void> {
    // All that was consumed is purged with the journal: a command left behind would look like a turn that nobody ran.
    this.#terminal = this.#consumptionTo(attempts.at(-1)?.sequence ?? 0);
    const logic = this.#deps.logic as TurnLogic<State, never, never, Local>;
    const deps = { ...this.#deps, logic, patienceMs: this.#deps.limits.openPatienceMs };
    const items = await answerAttempts(deps, this.#key, view, attempts, this.#terminal);
    this.#writer?.push([...this.#ownerItems(0), ...items], 0, () => void this.#finish('again'));
  }

  #giveUp(error: TandemError): void {
    const items = [...this.#ownerItems(0), ...endItems('failed', error, this.#consumption())];
    this.#writer?.push(items, 0, () => void this.#finish());
  }

  /** Called when the generation's end is decided: fixes what belongs to it. */
  #consumption(): Consumption {
    this.#terminal ??= this.#consumptionTo(this.#consumed);
    return this.#terminal;
  }

  #consumptionTo(consumedSequence: number): Consumption {
    const resumeAfter = this.#follower?.resumeAfter ?? consumedSequence;
    return { consumedSequence, scanSequence: Math.min(consumedSequence, resumeAfter) };
  }

  /** The terminal entry is stored: all up to it may go after a while. */
  async #finish(end: SessionEnd = 'done'): Promise<void> {
    const journal = this.#writer?.lastSequence ?? 0;
    const { retention, limits } = this.#deps;
    const upTo = { journal, commands: this.#terminal?.scanSequence ?? 0 };
    // Without the job the logs' own age limit removes them.
    await retention
      .schedule(this.#key, upTo, limits.retentionMs)
      .catch((error) => this.#deps.observer.retentionFailed?.(error));
    this.#end(end);
  }

  #fault(error: unknown): void {
    const { observer } = this.#deps;
    const isDeposed = error instanceof Deposed;
    if (isDeposed) observer.deposed?.(this.#key);
    else observer.logicFailed?.(this.#key, error);
    this.#end(isDeposed ? 'deposed' : 'again');
    this.stop();
  }
}
