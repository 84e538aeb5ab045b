import type { Dispatcher, DispatchQueue, Leases, Log, Retention } from '@tandem/actor-core';
import { VirtualClock } from '@tandem/actor-core/testing';
import type { Plan } from '../plan/plan.ts';
import { History } from './history.ts';
import { Nats } from './nats.ts';
import { Network } from './network.ts';
import { Process } from './process.ts';
import { Random } from './random.ts';
import { Redis } from './redis.ts';
import { SimLeases } from './sim-leases.ts';
import { SimLog } from './sim-log.ts';
import { SimDispatcher, SimQueue } from './sim-queue.ts';
import { SimRetention } from './sim-retention.ts';
import { SimSignals } from './sim-signals.ts';
import { Traps } from './traps.ts';

/** The engines as one process sees them. */
export interface Ports {
  readonly log: Log;
  readonly signals: SimSignals;
  readonly leases: Leases;
  readonly queue: DispatchQueue;
  readonly dispatcher: Dispatcher;
  readonly retention: Retention;
}

/** Time, the network and the engines of one run, and the processes on them. */
export class World {
  readonly time: VirtualClock;
  readonly history: History;
  readonly net: Network;
  readonly nats: Nats;
  readonly redis: Redis;
  readonly traps = new Traps();
  readonly #plan: Plan;
  readonly #signals = new Map<Process, SimSignals>();
  #processes = 0;

  constructor(plan: Plan, options: { keepHistory: boolean }) {
    const { maxRecordBytes } = plan;
    this.#plan = plan;
    this.time = new VirtualClock();
    this.history = new History(this.time, options.keepHistory);
    this.net = new Network(this.time, this.random('network'), this.history);
    this.nats = new Nats(this.time, this.history, { maxRecordBytes });
    this.redis = new Redis(this.time, this.random('redis'), this.history);
  }

  random(purpose: string): Random {
    return new Random(this.#plan.seed, purpose);
  }

  /** A new process on a host. */
  process(host: string): Process {
    const { seed, skewMs } = this.#plan;
    const name = `${host}.${this.#processes++}`;
    const skew = skewMs > 0 ? this.random(`skew ${name}`).int(-skewMs / 2, skewMs / 2) : 0;
    return new Process(name, { host, time: this.time, seed, skewMs: skew });
  }

  ports(process: Process): Ports {
    const { net, nats, redis, history, traps, time } = this;
    const random = this.random(`ports ${process.name}`);
    const jobs = { net, redis, history, traps };
    const signals = new SimSignals(net, nats, process);
    this.#signals.set(process, signals);
    process.onDeath(() => this.#signals.delete(process));
    return {
      log: new SimLog({ net, nats, random, history, traps }, process),
      signals,
      leases: new SimLeases(jobs, process),
      queue: new SimQueue(jobs, process),
      dispatcher: new SimDispatcher(jobs, process),
      retention: new SimRetention({ ...jobs, nats, time, random }, process),
    };
  }

  /** The connection of a host's processes (of all hosts unless told) to the log's engine is down, and they know it. */
  disconnect(host?: string): void {
    for (const [process, signals] of this.#signals) {
      if (!host || process.host === host) signals.connected = false;
    }
  }

  /** It is there again, unless something else is in the way: whatever was to be heard meanwhile is lost. */
  reconnect(host?: string): void {
    const whole = (process: Process) =>
      (!host || process.host === host) && this.nats.up && !this.net.isCut(process.host, this.nats.host);
    for (const [process, signals] of this.#signals) {
      if (!whole(process)) continue;
      process.run(() => {
        signals.connected = true;
      });
    }
    for (const listener of [...this.nats.listeners]) {
      if (whole(listener.process)) listener.process.run(() => listener.reconnected());
    }
  }
}
