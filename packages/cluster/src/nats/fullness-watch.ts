import type { JetStreamManager } from '@nats-io/jetstream';
import type { ClusterObserver } from '../observer.ts';
import type { StreamPlan } from './stream-plan.ts';

const EVERY_MS = 5000;

/** Asks now and then how full the streams are. */
export class FullnessWatch {
  readonly #manager: JetStreamManager;
  readonly #plan: StreamPlan;
  readonly #observer: ClusterObserver;
  readonly #levels = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(manager: JetStreamManager, plan: StreamPlan, observer: ClusterObserver) {
    this.#manager = manager;
    this.#plan = plan;
    this.#observer = observer;
  }

  /** 0 to 1, as last learned. */
  of(stream: string): number {
    return this.#levels.get(stream) ?? 0;
  }

  /** Asks for the first time, then every 5 s. */
  async start(): Promise<void> {
    await this.#ask();
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.start(), EVERY_MS);
    this.#timer.unref();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #ask(): Promise<void> {
    for (const { name } of this.#plan.streams) {
      try {
        const { state, config } = await this.#manager.streams.info(name);
        const fullness = config.max_bytes > 0 ? state.bytes / config.max_bytes : 0;
        this.#levels.set(name, fullness);
        this.#observer.fullness?.(name, fullness);
      } catch (error) {
        // The last known level stands until the engine answers again.
        if (!this.#closed) this.#observer.fault?.('nats', error);
        return;
      }
    }
  }
}
