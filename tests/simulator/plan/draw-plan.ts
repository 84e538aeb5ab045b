import type { Behaviour } from '../clients/behaviour.ts';
import { TOOLS, type ToolBatch } from '../model/tool-plan.ts';
import { Random } from '../world/random.ts';
import { drawFaults } from './draw-faults.ts';
import { FAULTY_MS, type Plan, type TurnPlan } from './plan.ts';

/** Draws all that happens in a run. The same seed gives the same plan. */
export function drawPlan(seed: number): Plan {
  const random = new Random(seed, 'plan');
  const workers = random.int(2, 3);
  const gateways = random.int(1, 3);
  const drawn = drawClients(random);
  const faults = drawFaults(new Random(seed, 'faults'), { workers, gateways, clients: drawn.length });
  // Under a number that is used again, a repeated or late record of the turn before could not be told apart.
  const orderly = !faults.some(
    (fault) => fault.kind === 'weather' && (fault.weather.repeat || fault.weather.late),
  );
  const clients = orderly
    ? drawn
    : drawn.map((client) => ({ ...client, turns: client.turns.map(withOwnRequest) }));
  const calm = faults.map(
    (fault) => fault.at + ('ms' in fault ? fault.ms : 0) + ('downMs' in fault ? fault.downMs : 0),
  );
  return {
    seed,
    workers,
    gateways,
    skewMs: random.chance(0.3) ? 2_000 : 0,
    maxRecordBytes: random.chance(0.3) ? 600 : 64 * 1024,
    retentionMs: random.pick([45_000, 45_000, 15 * 60_000]),
    modelCutChance: random.chance(0.2) ? 0.3 : 0,
    clients,
    faults,
    calmFrom: Math.max(FAULTY_MS, ...calm) + 5_000,
  };
}

function withOwnRequest(turn: TurnPlan): TurnPlan {
  return { ...turn, sameRequest: false };
}

function drawClients(random: Random): Plan['clients'] {
  const owners = random.chance(0.5) ? ['alice', 'bob'] : ['alice'];
  return owners.flatMap((owner) =>
    Array.from({ length: random.int(1, 2) }, (_, ordinal) => ({ owner, ordinal, turns: drawTurns(random) })),
  );
}

function drawTurns(random: Random): TurnPlan[] {
  const turns: TurnPlan[] = [];
  const conversations = random.int(1, 2);
  for (let conversation = 0; conversation < conversations; conversation++) {
    const count = random.int(1, 3);
    for (let index = 0; index < count; index++) {
      const overlaps = index > 0 && random.chance(0.25);
      const after = index === 0 || overlaps ? 'start' : 'previous';
      const sameRequest = after === 'previous' && random.chance(0.4);
      const behaviour = drawBehaviour(random);
      // What is canceled would have taken long, or its end could not be told from a cancel's.
      const long = behaviour.cancelAfterMs !== undefined;
      const tokens = long ? random.int(20, 60) : random.int(3, 25);
      turns.push({
        conversation,
        start: { after, ms: random.int(0, after === 'previous' ? 2_000 : 8_000) },
        sameRequest,
        tokens,
        batches: drawBatches(random, tokens),
        paceMs: random.pick(long ? [200, 600] : [5, 40, 200, 600]),
        behaviour,
      });
    }
  }
  return turns;
}

function drawBatches(random: Random, tokens: number): ToolBatch[] {
  if (random.chance(0.4)) return [];
  const places = Array.from({ length: random.int(1, 3) }, () => random.int(0, tokens));
  return places
    .sort((a, b) => a - b)
    .map((after) => ({ after, tools: Array.from({ length: random.int(1, 3) }, () => random.pick(TOOLS)) }));
}

function drawBehaviour(random: Random): Behaviour {
  return {
    kind: random.chance(0.6) ? 'official' : 'reattaching',
    retries: random.chance(0.8),
    streamFirst: random.chance(0.7),
    gapMs: random.pick([0, 1, 20, 500, 3_000]),
    uploadMs: random.pick([1, 10, 300]),
    slowUploadChance: random.chance(0.3) ? 0.2 : 0,
    slowUploadMs: 20_000,
    readMs: random.chance(0.15) ? random.pick([50, 400]) : 0,
    repeatChance: random.chance(0.3) ? 0.2 : 0,
    answerMs: random.pick([1, 10, 500]),
    toolMs: random.pick([5, 400, 8_000]),
    oddAnswerChance: random.chance(0.15) ? 0.1 : 0,
    refuseBlobChance: random.chance(0.15) ? 0.1 : 0,
    forgeChance: random.chance(0.2) ? 0.2 : 0,
    padding: random.chance(0.3) ? random.int(500, 3_000) : 0,
    sendsBlobKey: random.chance(0.5),
    cancelAfterMs: random.chance(0.12) ? random.int(0, 12_000) : undefined,
  };
}
