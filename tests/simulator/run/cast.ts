import { READER_TIMINGS } from '@tandem/gateway';
import { MemoryBlobStore } from '@tandem/worker';
import type { TurnRecord } from '../clients/attempt-record.ts';
import { Machine } from '../clients/machine.ts';
import { type Conversation, holdTurn } from '../clients/turn-client.ts';
import { type SeenCall, SimModels } from '../model/sim-models.ts';
import type { Fault, Plan, TurnPlan } from '../plan/plan.ts';
import { SimGateway } from '../services/gateway.ts';
import { Http } from '../services/http.ts';
import { limitsOf, SimWorker } from '../services/worker.ts';
import type { Process } from '../world/process.ts';
import type { Random } from '../world/random.ts';
import type { World } from '../world/world.ts';

/** A service's planned end. */
export interface End {
  readonly kind: 'crash' | 'drain';
  readonly process: string;
  /** When it stopped working: of a drain, when its grace was over. Ms of the run. */
  readonly at: number;
  readonly fault: Fault;
}

type Targeted = Extract<Fault, { target: string }>;

/** Who takes part in a run: the services, which are started again when they die, and the clients. */
export class Cast {
  readonly turns: TurnRecord[] = [];
  readonly calls: SeenCall[] = [];
  readonly ends: End[] = [];
  readonly http: Http;
  readonly #world: World;
  readonly #plan: Plan;
  readonly #workers = new Map<string, SimWorker>();
  readonly #gateways = new Map<string, SimGateway | undefined>();
  readonly #clients = new Map<string, Client>();
  readonly #blobStore: MemoryBlobStore;

  constructor(world: World, plan: Plan) {
    this.#world = world;
    this.#plan = plan;
    this.#blobStore = new MemoryBlobStore({ clock: world.time, maxBytes: 1e8, maxAgeMs: 3_600_000 });
    this.http = new Http(world.net, world.random('http'), world.history, () => [...this.#gateways.values()]);
    for (let index = 0; index < plan.workers; index++) this.startService(`worker${index}`);
    for (let index = 0; index < plan.gateways; index++) this.startService(`gateway${index}`);
    for (const [index, client] of plan.clients.entries()) this.#startClient(`client${index}`, client);
  }

  /** Whether every turn is over for its client. */
  get idle(): boolean {
    return [...this.#clients.values()].every(({ process, left }) => left === 0 || !process.alive);
  }

  /** The living workers that run turns, by how many. */
  get busyWorkers(): { name: string; turns: number }[] {
    return [...this.#workers.values()]
      .filter(({ process, turns }) => process.alive && turns > 0)
      .map(({ process, turns }) => ({ name: process.name, turns }));
  }

  processOf(host: string): Process | undefined {
    return (this.#workers.get(host) ?? this.#gateways.get(host) ?? this.#clients.get(host))?.process;
  }

  startService(host: string): void {
    const process = this.#born(host);
    if (host.startsWith('gateway')) {
      this.#gateways.set(host, new SimGateway(process, this.#world.ports(process), READER_TIMINGS));
      return;
    }
    const { history } = this.#world;
    const random = this.#world.random(`model ${process.name}`);
    const models = new SimModels({
      process,
      random,
      history,
      seen: this.calls,
      cutChance: this.#plan.modelCutChance,
    });
    const limits = limitsOf(this.#plan.retentionMs);
    const worker = new SimWorker(process, this.#world.ports(process), {
      models,
      limits,
      history,
      blobStore: this.#blobStore,
    });
    this.#workers.set(host, worker);
    void worker.start();
  }

  /** Kills what runs on a host, and starts a service anew after a while. */
  crash(fault: Targeted, downMs: number): void {
    const process = this.processOf(fault.target);
    if (!process?.alive) return;
    this.ends.push({ kind: 'crash', process: process.name, at: this.#world.history.now, fault });
    this.#crash(fault.target, process, downMs);
  }

  /** Lets a service end in good order, then starts it anew. */
  drain(fault: Extract<Fault, { kind: 'drain' }>): void {
    const { target: host, graceMs, downMs } = fault;
    const process = this.processOf(host);
    const service = this.#workers.get(host) ?? this.#gateways.get(host);
    if (!process?.alive || !service) return;
    this.ends.push({ kind: 'drain', process: process.name, at: this.#world.history.now + graceMs, fault });
    this.#world.history.note('drain', `${process.name} grace ${graceMs}`);
    process.run(() => {
      void service.drain(graceMs).then(() => {
        this.#world.history.note('drained', process.name);
        this.#crash(host, process, downMs);
      });
    });
  }

  /** Sets a trap for the process that is on a host now. */
  trap(fault: Extract<Fault, { kind: 'trap' }>): void {
    const { target, point, nth, downMs } = fault;
    const process = this.processOf(target);
    if (!process?.alive) return;
    this.#world.traps.set(process, point, nth, () => {
      this.#world.history.count(`trap sprung: ${point}`);
      this.#crash(target, process, downMs);
    });
  }

  /** Has something happen when the process that is on a host now claims a journal. */
  stickClaim({ target, nth }: Extract<Fault, { kind: 'stuck claim' }>, begin: () => void): void {
    const process = this.processOf(target);
    if (!process?.alive) return;
    this.#world.traps.set(process, 'claim', nth, () => {
      this.#world.history.note('trap sprung: claim', process.name);
      begin();
    });
  }

  #crash(host: string, process: Process | undefined, downMs: number): void {
    if (!process?.alive) return;
    this.#world.history.note('died', process.name);
    process.kill();
    if (host.startsWith('client')) return;
    if (host.startsWith('gateway')) this.#gateways.set(host, undefined);
    this.#world.time.after(downMs, () => this.startService(host));
  }

  #born(host: string): Process {
    const process = this.#world.process(host);
    this.#world.history.note('started', process.name);
    return process;
  }

  #startClient(host: string, { owner, ordinal, turns }: Plan['clients'][number]): void {
    const process = this.#born(host);
    const client: Client = {
      process,
      machine: new Machine(),
      random: this.#world.random(host),
      left: turns.length,
    };
    this.#clients.set(host, client);
    const byConversation = Map.groupBy(turns, ({ conversation }) => conversation);
    for (const [number, plans] of byConversation) {
      const conversation: Conversation = {
        owner,
        // The same names for every owner: nothing but the owner tells their things apart.
        id: `c${ordinal}-${number}`,
        blobKey: plans[0]?.behaviour.sendsBlobKey ? Buffer.alloc(32, host) : new Uint8Array(0),
        checkpoint: undefined,
      };
      void this.#converse(client, conversation, plans);
    }
  }

  async #converse(client: Client, conversation: Conversation, plans: readonly TurnPlan[]): Promise<void> {
    let previous: Held | undefined;
    for (const [index, plan] of plans.entries()) {
      if (plan.start.after === 'previous') await previous?.over;
      await new Promise<void>((resolve) => client.process.clock.after(plan.start.ms, resolve));
      // Only what its client was done with in good order leaves nothing on the way that could be taken for the next.
      const again = plan.sameRequest && previous && isClean(previous) ? previous : undefined;
      const requestId: string = again ? again.requestId : `r${conversation.id}-${index}`;
      const script = {
        owner: conversation.owner,
        id: `${client.process.host}-${conversation.id}-${index}`,
        ...plan,
      };
      const { behaviour } = plan;
      const { history } = this.#world;
      const deps = { ...client, http: this.http, history, behaviour };
      const { record, over } = holdTurn(deps, conversation, script, requestId);
      this.turns.push(record);
      void over.then(() => {
        client.left -= 1;
      });
      previous = { plan, requestId, over, record };
    }
  }
}

/** A turn that a client held, or holds. */
interface Held {
  readonly plan: TurnPlan;
  readonly requestId: string;
  readonly over: Promise<void>;
  readonly record: TurnRecord;
}

function isClean({ plan, record: { status, attempts } }: Held): boolean {
  if (plan.behaviour.forgeChance > 0 || plan.behaviour.repeatChance > 0) return false;
  const appends = attempts.flatMap((attempt) => attempt.appends);
  return (
    status === 'finished' &&
    attempts.length === 1 &&
    appends.every(({ acknowledgedAt, tries }) => acknowledgedAt !== undefined && tries === 1)
  );
}

/** A user's machine. */
interface Client {
  readonly process: Process;
  readonly machine: Machine;
  readonly random: Random;
  /** Turns that are not over. */
  left: number;
}
