import type { Clock } from '@tandem/actor-core';
import { commandSubject, journalSubject, type Retention, type TurnKey } from '@tandem/actor-core';
import type { Nats } from './nats.ts';
import type { Process } from './process.ts';
import type { Random } from './random.ts';
import { type QueueDeps, redisCall } from './sim-queue.ts';

const RETRY_MS = 1_000;

/** Purges as delayed jobs: carried out by whoever lives then, again until it works, with time between the two logs. */
export class SimRetention implements Retention {
  readonly #deps: QueueDeps & { readonly nats: Nats; readonly time: Clock; readonly random: Random };
  readonly #process: Process;

  constructor(deps: QueueDeps & { nats: Nats; time: Clock; random: Random }, process: Process) {
    this.#deps = deps;
    this.#process = process;
  }

  schedule(key: TurnKey, upTo: { journal: number; commands: number }, delayMs: number): Promise<void> {
    const { time } = this.#deps;
    return redisCall(this.#deps, this.#process, async () => {
      time.after(delayMs, () => void this.#purge(key, upTo));
    });
  }

  async #purge(key: TurnKey, upTo: { journal: number; commands: number }): Promise<void> {
    await this.#patiently(() => this.#deps.nats.purge(commandSubject(key), upTo.commands));
    await this.#wait(this.#deps.random.int(0, 50));
    await this.#patiently(() => this.#deps.nats.purge(journalSubject(key), upTo.journal));
  }

  async #patiently(purge: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await purge();
      } catch {
        await this.#wait(RETRY_MS);
      }
    }
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.#deps.time.after(ms, resolve));
  }
}
