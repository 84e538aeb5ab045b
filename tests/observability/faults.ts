import { ownerOf, readMetric, until } from '@tandem/test-support/cluster';
import { holdTurn } from './load.ts';
import type { WatchedSystem } from './system.ts';

/** Something that goes wrong on purpose, and the queries that have to show it. */
export interface Fault {
  readonly name: string;
  cause(system: WatchedSystem): Promise<void>;
  /** Each has a value above zero afterwards. */
  readonly shows: readonly string[];
}

/** Longer than a lease. */
const STAND_STILL_MS = 4500;
/** Long enough for a lease to be renewed in vain. */
const AWAY_MS = 2500;

/** A turn whose model says nothing more until the fault is over. */
async function duringTurn(system: WatchedSystem, name: string, run: () => Promise<void>): Promise<void> {
  const { provider } = system.cluster;
  provider.script('first', [
    {
      steps: [
        { type: 'text', text: 'one ' },
        { type: 'hold', name },
        { type: 'text', text: 'two' },
      ],
    },
  ]);
  const held = holdTurn(system, `talks of ${name}`);
  await provider.held(name);
  await run();
  provider.release(name);
  const { status, error } = await held;
  if (status !== 'finished') throw new Error(`a turn did not survive: ${name}`, { cause: error });
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export const FAULTS: readonly Fault[] = [
  {
    name: 'a worker stands still',
    cause: (system) =>
      duringTurn(system, 'a worker that stands still', async () => {
        const owner = await ownerOf(system.cluster.workers);
        owner.pause();
        await pause(STAND_STILL_MS);
        owner.resume();
        await until(
          'it gave its turns up',
          async () => (await readMetric(owner.url, 'tandem_stalls_total')) > 0,
        );
      }),
    shows: [
      'sum(increase(tandem_stalls_total[5m]))',
      'sum(increase(tandem_leases_lost_total[5m]))',
      'sum(increase(tandem_turns_taken_up_total{kind="resume"}[5m]))',
    ],
  },
  {
    name: 'Redis is away',
    cause: (system) =>
      duringTurn(system, 'Redis away', async () => {
        await system.cluster.redis.kill();
        await pause(AWAY_MS);
        await system.cluster.redis.restart();
        await engineIsBack(system, 'redis');
      }),
    shows: [
      'sum(increase(tandem_engine_disconnects_total{engine="redis"}[5m]))',
      'sum(increase(tandem_engine_reconnects_total{engine="redis"}[5m]))',
      'sum(increase(tandem_engine_faults_total{engine="redis"}[5m]))',
      'sum(increase(tandem_lease_store_faults_total[5m]))',
      'max_over_time(sum(tandem_engine_disconnects_total{engine="redis"} - tandem_engine_reconnects_total{engine="redis"})[5m:1s])',
    ],
  },
  {
    name: 'NATS is away',
    cause: (system) =>
      duringTurn(system, 'NATS away', async () => {
        await system.cluster.nats.kill();
        await pause(AWAY_MS);
        await system.cluster.nats.restart();
        await engineIsBack(system, 'nats');
      }),
    shows: [
      'sum(increase(tandem_engine_disconnects_total{engine="nats"}[5m]))',
      'sum(increase(tandem_engine_reconnects_total{engine="nats"}[5m]))',
    ],
  },
  {
    name: 'a worker is killed',
    cause: (system) =>
      duringTurn(system, 'a worker that is killed', async () => {
        await (await ownerOf(system.cluster.workers)).kill();
      }),
    shows: [
      'count(up{component="worker"} == 0)',
      'count(ALERTS{alertname="TandemDown"})',
      'sum(increase(tandem_turns_taken_up_total{kind="resume"}[1m]))',
    ],
  },
];

async function engineIsBack({ cluster }: WatchedSystem, engine: string): Promise<void> {
  const nodes = [...cluster.gateways, ...cluster.workers];
  await until(`all have ${engine} again`, async () => {
    const texts = await Promise.all(nodes.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()));
    return texts.every((text) => counted(text, 'reconnects', engine) > 0);
  });
}

function counted(text: string, what: string, engine: string): number {
  const found = new RegExp(`^tandem_engine_${what}_total\\{[^}]*engine="${engine}"[^}]*\\} (\\S+)`, 'm').exec(
    text,
  );
  return Number(found?.[1] ?? 0);
}
