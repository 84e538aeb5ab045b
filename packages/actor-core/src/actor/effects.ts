import { Backoff, retry, TandemError } from '@tandem/errors';
import type { Clock, Entropy, Timer } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { type Claimant, claimConversation } from '../supersede/claim-conversation.ts';
import type { EffectRunner, RuntimeEffect, TurnFacts, TurnInput } from './logic.ts';

export interface EffectDeps<Effect, Result> {
  readonly log: Log;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly runner: EffectRunner<Effect, Result>;
}

/** Between two tries to get a conversation that is another turn's, or whose log is away. */
const CLAIM_PACE = { firstMs: 50, maxMs: 2000 };

/** Carries out a turn's effects and brings back what comes of them as inputs, until it is stopped. */
export class Effects<Effect extends { readonly type: string }, Result> {
  readonly #deps: EffectDeps<Effect, Result>;
  readonly #claimant: Claimant;
  readonly #facts: TurnFacts;
  readonly #input: (input: TurnInput<Result>) => void;
  readonly #timers = new Map<string, Timer>();
  readonly #stop = new AbortController();

  constructor(
    deps: EffectDeps<Effect, Result>,
    claimant: Claimant,
    facts: TurnFacts,
    input: (input: TurnInput<Result>) => void,
  ) {
    this.#deps = deps;
    this.#claimant = claimant;
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
    if (effect.type === 'activate_conversation') return void this.#claim(effect);
    this.#timers.get(effect.name)?.cancel();
    this.#timers.delete(effect.name);
    if (effect.type === 'clear_timer') return;
    const timer = this.#deps.clock.after(effect.ms, () => {
      this.#timers.delete(effect.name);
      this.#tell({ type: 'result', result: effect.result });
    });
    this.#timers.set(effect.name, timer);
  }

  async #claim({
    conversationId,
    patient,
  }: RuntimeEffect<Result> & { type: 'activate_conversation' }): Promise<void> {
    const claimant = { ...this.#claimant, patient };
    const { signal } = this.#stop;
    const pace = { ...CLAIM_PACE, ...this.#deps };
    const worthRetrying = (error: unknown) => TandemError.from(error).retryable;
    const claimOnce = () => claimConversation(this.#deps, claimant, conversationId, signal);
    try {
      const busy = new Backoff(pace);
      for (;;) {
        const claim = await retry(claimOnce, { ...pace, signal, worthRetrying });
        if (claim !== 'busy') return this.#tell({ type: claim === 'claimed' ? 'activated' : claim });
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
