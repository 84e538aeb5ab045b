import { TandemError } from '@tandem/errors';
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
    const stopped = () => this.#stop.signal.aborted;
    for (let delay = 50; !stopped(); delay = Math.min(delay * 2, 2000)) {
      try {
        const claim = await claimConversation(this.#deps, claimant, conversationId, stopped);
        if (claim !== 'busy') return this.#tell({ type: claim === 'claimed' ? 'activated' : claim });
      } catch (error) {
        const fault = TandemError.from(error);
        if (!fault.retryable) return this.#tell({ type: 'failed', error: fault });
      }
      await new Promise<void>((resolve) => this.#deps.clock.after(delay, resolve));
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
