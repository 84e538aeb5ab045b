import {
  type AppendOptions,
  decodeEntry,
  type LiveHandler,
  type Log,
  type LogRecord,
  type LogSubscription,
  LogUnavailable,
  type Part,
} from '@tandem/actor-core';
import { call, type Engine } from './call.ts';
import type { History } from './history.ts';
import type { Listener, Nats } from './nats.ts';
import type { Network } from './network.ts';
import type { Process } from './process.ts';
import type { Random } from './random.ts';
import type { Traps } from './traps.ts';

const TIMEOUT_MS = 5_000;

export interface LogDeps {
  readonly net: Network;
  readonly nats: Nats;
  readonly random: Random;
  readonly history: History;
  readonly traps: Traps;
}

/** The log as one process sees it. */
export class SimLog implements Log {
  readonly maxRecordBytes: number;
  readonly #deps: LogDeps;
  readonly #process: Process;
  /** Replicas that serve reads answer while there is no leader. */
  readonly #replicas: Engine;

  constructor(deps: LogDeps, process: Process) {
    const { nats } = deps;
    this.#deps = deps;
    this.#process = process;
    this.maxRecordBytes = nats.log.maxRecordBytes;
    this.#replicas = {
      host: nats.host,
      get answers() {
        return nats.up ? ('yes' as const) : ('deaf' as const);
      },
      run: (event) => event(),
    };
  }

  append(subject: string, part: Part, payload: Uint8Array, options?: AppendOptions) {
    const { nats, traps } = this.#deps;
    if (isClaim(subject, part, payload)) traps.sprung(this.#process, 'claim')?.();
    const trap = traps.sprung(this.#process, 'append');
    return this.#call(nats, () => nats.append(this.#process.name, subject, part, payload, options), trap);
  }

  last(subject: string): Promise<LogRecord | undefined> {
    const { nats } = this.#deps;
    return this.#call(nats, () => nats.log.last(subject));
  }

  read(subject: string, after: number, limit: number): Promise<LogRecord[]> {
    return this.#call(this.#replicas, () => this.#deps.nats.read(subject, after, limit));
  }

  async purge(subject: string, upTo: number): Promise<void> {
    const { nats } = this.#deps;
    await this.#call(nats, () => nats.purge(subject, upTo));
  }

  fullness(): number {
    return this.#deps.nats.full ? 1 : 0;
  }

  subscribe(subject: string, handler: LiveHandler): Promise<LogSubscription> {
    return this.#call(this.#replicas, async () => this.#attach(subject, handler));
  }

  async #attach(subject: string, handler: LiveHandler): Promise<LogSubscription> {
    const { net, nats, random, history } = this.#deps;
    const process = this.#process;
    const deliver = net.channel(nats, process);
    let open = true;
    const heardFrom = this.#now() + random.int(0, nats.interestMs);
    const inner = await nats.log.subscribe(subject, {
      interrupted: () => {},
      record: (record) => {
        if (!nats.up) return;
        if (record.time < heardFrom) history.count('fault: not yet subscribed everywhere');
        else if (random.chance(nats.liveLoss)) history.count('fault: live record lost');
        else
          deliver(() => {
            if (open) handler.record(record);
          });
      },
    });
    const listener: Listener = {
      process,
      reconnected: () => {
        if (!open) return;
        history.count('subscription interrupted');
        handler.interrupted();
      },
    };
    nats.listeners.add(listener);
    const close = () => {
      open = false;
      inner.close();
      nats.listeners.delete(listener);
    };
    process.onDeath(close);
    return { close };
  }

  /** Of the store, as records are stamped. */
  #now(): number {
    return this.#deps.nats.now;
  }

  async #call<T>(engine: Engine, execute: () => Promise<T>, dieBeforeAnswer?: () => void): Promise<T> {
    const { net, history } = this.#deps;
    try {
      return await call(net, {
        from: this.#process,
        to: engine,
        timeoutMs: TIMEOUT_MS,
        failure: () => new LogUnavailable(),
        execute,
        dieBeforeAnswer,
      });
    } catch (error) {
      if (error instanceof LogUnavailable) history.count('fault: log away');
      throw error;
    }
  }
}

/** Whether a worker takes a journal with this record. */
function isClaim(subject: string, { count }: Part, payload: Uint8Array): boolean {
  if (!subject.startsWith('evt.') || count > 1) return false;
  return decodeEntry(payload).items.some(({ kind }) => kind.case === 'owner');
}
