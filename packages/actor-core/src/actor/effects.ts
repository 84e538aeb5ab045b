import { Backoff, retry, TandemError } from '@tandem/errors';
import type { Clock, Entropy, Timer } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { activateConversation, type Candidate } from '../supersede/activate-conversation.ts';
import type { EffectRunner, RuntimeEffect, TurnFacts, TurnInput } from './logic.ts';

export interface EffectDeps<Effect, Result> {
  readonly log: Log;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly runner: EffectRunner<Effect, Result>;
}

/** Between two tries to get a conversation that is another turn's, or whose log is away. */
const ACTIVATION_PACE = { firstMs: 50, maxMs: 2000 };

/** Carries out a turn's effects and brings back what comes of them as inputs, until it is stopped. */
export class Effects<Effect extends { readonly type: string }, Result> {
  readonly #deps: EffectDeps<Effect, Result>;
  readonly #candidate: Candidate;
  readonly #facts: TurnFacts;
  readonly #input: (input: TurnInput<Result>) => void;
  readonly #timers = new Map<string, Timer>();
  readonly #stop = new AbortController();

  constructor(
    deps: EffectDeps<Effect, Result>,
    candidate: Candidate,
    facts: TurnFacts,
    input: (input: TurnInput<Result>) => void,
  ) {
    this.#deps = deps;
    this.#candidate = candidate;
    this.#facts = facts;
    this.#input = input;
  }

  run(effect: Effect | RuntimeEffect<Result>): void {
    if (this.#stop.signal.aborted) return;
    if (isRuntimeEffect<Result>(effect)) this.#runOwn(effect);
    else
      this.#deps.runner.run(
        effect,
        this.#facts,
        (result) => this.#tell({ type: 'result', result }),
        this.#stop.signal,
      );
  }

  /** Ends everything that runs; nothing more is told. */
  stop(): void {
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    this.#stop.abort();
  }

  #runOwn(effect: RuntimeEffect<Result>): void {
    if (effect.type === 'activate_conversation') return void this.#activate(effect);
    this.#timers.get(effect.name)?.cancel();
    this.#timers.delete(effect.name);
    if (effect.type === 'clear_timer') return;
    const timer = this.#deps.clock.after(effect.ms, () => {
      this.#timers.delete(effect.name);
      this.#tell({ type: 'result', result: effect.result });
    });
    this.#timers.set(effect.name, timer);
  }

  async #activate({
    conversationId,
    patient,
  }: RuntimeEffect<Result> & { type: 'activate_conversation' }): Promise<void> {
    const candidate = { ...this.#candidate, patient };
    const { signal } = this.#stop;
    const pace = { ...ACTIVATION_PACE, ...this.#deps };
    const worthRetrying = (error: unknown) => TandemError.from(error).retryable;
    const activateOnce = () => activateConversation(this.#deps, candidate, conversationId, signal);
    try {
      const busy = new Backoff(pace);
      for (;;) {
        const outcome = await retry(activateOnce, { ...pace, signal, worthRetrying });
        if (outcome !== 'busy') return this.#tell({ type: outcome });
        await busy.wait(signal);
      }
    } catch (error) {
      this.#tell({ type: 'failed', error: TandemError.from(error) });
    }
  }

  #tell(input: TurnInput<Result>): void {
    if (!this.#stop.signal.aborted) this.#input(input);
  }
}

function isRuntimeEffect<Result>(effect: { readonly type: string }): effect is RuntimeEffect<Result> {
  return (
    effect.type === 'set_timer' || effect.type === 'clear_timer' || effect.type === 'activate_conversation'
  );
}
