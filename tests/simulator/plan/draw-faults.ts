import type { Random } from '../world/random.ts';
import { FAULTY_MS, type Fault } from './plan.ts';

export interface Parties {
  readonly workers: number;
  readonly gateways: number;
  readonly clients: number;
}

type Draw = (random: Random, at: number, parties: Parties) => Fault;

const KINDS: Readonly<Record<string, Draw>> = {
  crash: (random, at, parties) => ({
    kind: 'crash',
    target: service(random, parties),
    at,
    downMs: random.int(100, 8_000),
  }),
  trap: (random, at, parties) => ({
    kind: 'trap',
    target: service(random, parties),
    at,
    point: random.pick(['append', 'append', 'append', 'dispatch', 'complete']),
    nth: random.int(1, 8),
    downMs: random.int(100, 8_000),
  }),
  claim: (random, at, parties) => ({
    kind: 'stuck claim',
    target: worker(random, parties),
    at,
    nth: random.int(1, 3),
    ms: random.int(3_700, 4_950),
  }),
  pause: (random, at, parties) => ({
    kind: 'pause',
    target: random.chance(0.8) ? service(random, parties) : client(random, parties),
    at,
    ms: random.pick([200, 1_500, 4_000, 7_000, 12_000]),
  }),
  drain: (random, at, parties) => ({
    kind: 'drain',
    target: service(random, parties),
    at,
    graceMs: random.pick([0, 1_000, 4_000]),
    downMs: random.int(100, 3_000),
  }),
  partition: (random, at, parties) => {
    const [a, b] = random.pick([
      [worker(random, parties), 'nats'],
      [worker(random, parties), 'redis'],
      [gateway(random, parties), 'nats'],
      [gateway(random, parties), 'redis'],
      [client(random, parties), gateway(random, parties)],
    ] as const);
    return { kind: 'partition', a, b, mode: random.pick(['cut', 'held']), at, ms: random.int(300, 12_000) };
  },
  weather: (random, at) => ({
    kind: 'weather',
    at,
    ms: random.int(1_000, 20_000),
    weather: {
      maxDelayMs: random.pick([5, 50, 300]),
      loss: random.pick([0, 0.01, 0.05]),
      repeat: random.pick([0, 0.05]),
      late: random.pick([0, 0.02]),
      lateMs: 9_000,
    },
  }),
  lag: (random, at) => ({
    kind: 'lag',
    at,
    ms: random.int(1_000, 20_000),
    lagMs: random.pick([0, 0, 100, 1_500]),
    liveLoss: random.pick([0, 0, 0.05, 0.3]),
    interestMs: random.pick([0, 80]),
  }),
  engine: (random, at) => ({
    kind: random.pick(['nats down', 'no leader', 'store full']),
    at,
    ms: random.int(500, 8_000),
  }),
  redis: (random, at) => ({
    kind: 'redis down',
    at,
    ms: random.int(0, 6_000),
    loses: random.pick(['nothing', 'leases', 'all']),
  }),
  client: (random, at, parties) => ({
    kind: random.chance(0.2) ? 'client killed' : 'client cut',
    target: client(random, parties),
    at,
  }),
};

const cutOff: Draw = (random, at, parties) => ({
  kind: 'partition',
  a: gateway(random, parties),
  b: 'nats',
  mode: 'cut',
  at,
  ms: random.int(300, 4_000),
});

/**
 * Draws what goes wrong: a few kinds of fault a seed, so that each kind is also seen alone. Some seeds are kept for what
 * can only be measured alone: how soon a reader learns of what it was not told, or how things go when nothing is wrong.
 */
export function drawFaults(random: Random, parties: Parties): Fault[] {
  const profile = random.unit();
  if (profile < 0.04) return [blackout(random)];
  if (profile < 0.06) return lostJobs(random, parties);
  if (profile < 0.09) return [lateInterest(random)];
  if (profile < 0.12) return [];
  if (profile < 0.15) return stuckClaims(random, parties);
  if (profile < 0.17) return exile(random, parties);
  const kinds = drawKinds(random, profile);
  if (kinds.length === 0) return [];
  const faults: Fault[] = [];
  const count = random.int(1, kinds[0] === cutOff ? 2 : 8);
  for (let index = 0; index < count; index++) {
    const draw = random.pick(kinds);
    faults.push(bounded(draw(random, random.int(0, 20_000), parties)));
  }
  return faults;
}

function drawKinds(random: Random, profile: number): readonly Draw[] {
  if (profile < 0.21) return [KINDS.lag as Draw];
  if (profile < 0.28) return [cutOff];
  return Object.values(KINDS).filter(() => random.chance(0.35));
}

/** The queue forgets its jobs, then their workers die: only readers know of the turns. */
function lostJobs(random: Random, { workers }: Parties): Fault[] {
  const at = random.int(2_000, 10_000);
  const lost: Fault = { kind: 'redis down', at, ms: 0, loses: 'all' };
  const crashed = (target: string, index: number): Fault => ({
    kind: 'crash',
    target,
    at: at + 1 + index,
    downMs: 300,
  });
  return [lost, ...Array.from({ length: workers }, (_, index) => crashed(`worker${index}`, index))];
}

/** Workers whose claims are stuck again and again: rivals for the same journal. */
function stuckClaims(random: Random, parties: Parties): Fault[] {
  const draw = KINDS.claim as Draw;
  return Array.from({ length: 6 }, () => draw(random, random.int(0, 15_000), parties));
}

/** A worker that is back when its turns are long over, and their logs purged. */
function exile(random: Random, parties: Parties): Fault[] {
  const a = worker(random, parties);
  const during = { at: random.int(2_000, 8_000), ms: random.int(62_000, 75_000) };
  return [
    { kind: 'partition', a, b: 'nats', mode: 'held', ...during },
    { kind: 'partition', a, b: 'redis', mode: 'cut', ...during },
  ];
}

/** Nothing but subscriptions that are not yet known everywhere when the log's leader answers. */
function lateInterest(random: Random): Fault {
  return { kind: 'lag', at: 0, ms: random.int(15_000, 30_000), lagMs: 0, liveLoss: 0, interestMs: 80 };
}

function blackout(random: Random): Fault {
  return { kind: 'blackout', at: random.int(500, 8_000), ms: random.int(40_000, 60_000) };
}

/** Nothing lasts beyond the faulty time. */
function bounded(fault: Fault): Fault {
  return 'ms' in fault ? { ...fault, ms: Math.min(fault.ms, FAULTY_MS - fault.at) } : fault;
}

function service(random: Random, parties: Parties): string {
  return random.chance(0.7) ? worker(random, parties) : gateway(random, parties);
}

function worker(random: Random, { workers }: Parties): string {
  return `worker${random.int(0, workers - 1)}`;
}

function gateway(random: Random, { gateways }: Parties): string {
  return `gateway${random.int(0, gateways - 1)}`;
}

function client(random: Random, { clients }: Parties): string {
  return `client${random.int(0, clients - 1)}`;
}
