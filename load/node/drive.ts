import { randomUUID } from 'node:crypto';
import { createClient, nodeTransport, systemClock } from '@tandem/client';
import {
  busyTurns,
  cuttable,
  MemoryMeter,
  openStreams,
  type Profile,
  reconnectStorm,
  rollout,
  slow,
  slowReaders,
  spread,
  steadyTurns,
  type World,
} from '../src/index.ts';
import { now } from './model.ts';
import { type Usage, usageOf } from './process-usage.ts';
import type { Target } from './target.ts';

/** Figures by name, and why turns failed. */
export interface Findings {
  readonly figures: Record<string, number>;
  readonly faults: string[];
}

/** How a part of a run is called, and what it measures. */
export type Part = 'open' | 'steady' | 'busy' | 'storm' | 'slow' | 'rollout';

const BASE = 'http://target';

/** Runs parts of a profile on a target, one after another. @param say told which one begins */
export async function drive(
  target: Target,
  profile: Profile,
  parts: readonly Part[],
  say: (what: string) => void,
): Promise<Findings> {
  const line = cuttable(spread(nodeTransport(), BASE, target.addresses));
  const client = createClient({ baseUrl: BASE, apiKey: target.apiKey, transport: line });
  const slowClient = createClient({
    baseUrl: BASE,
    apiKey: target.apiKey,
    transport: slow(line, systemClock, profile.slow.pauseMs),
  });
  const figures: Record<string, number> = {};
  const faults: string[] = [];
  const sums = { failed: 0, lost_words: 0, repeated_words: 0, turns: 0 };

  async function measure(
    part: Part,
    run: (world: World, meter: MemoryMeter) => Promise<void>,
  ): Promise<void> {
    if (!parts.includes(part)) return;
    say(part);
    const meter = new MemoryMeter();
    await run({ client, clock: systemClock, now, id: randomUUID, model: target.model, meter }, meter);
    sums.turns += meter.total('turns');
    sums.failed += meter.total('failed');
    sums.lost_words += meter.total('lost');
    // Who loses the line itself is shown again what it had not confirmed.
    if (part !== 'storm') sums.repeated_words += meter.total('repeated');
    faults.push(...meter.faults.map((fault) => `${part}: ${fault}`));
  }

  const look = () => Object.entries(target.pids).map(([part, pids]) => ({ part, ...usageOf(pids()) }));

  try {
    await client.token();
    await measure('open', async (world, meter) => {
      // What a process takes to get going is not a stream's.
      await steadyTurns(world, { perSecond: 20, seconds: 2, shape: { words: 4, paceMs: 0, tools: 1 } });
      const before = look();
      let opened: (Usage & { part: string })[] = [];
      const { streams, heldSeconds } = profile.open;
      await openStreams(world, profile.open, {
        opened: async () => {
          opened = look();
        },
        held: async () => {
          for (const [index, { part, cpuMs, rssKb }] of look().entries()) {
            const first = opened[index];
            if (!first) continue;
            figures[`kb_per_stream_${part}`] = (rssKb - (before[index]?.rssKb ?? 0)) / streams;
            figures[`cpu_ms_per_stream_second_${part}`] = (cpuMs - first.cpuMs) / streams / heldSeconds;
          }
        },
      });
      figures.streams_open = meter.total('open');
    });
    await measure('steady', async (world, meter) => {
      const before = look();
      const own = process.cpuUsage();
      await steadyTurns(world, profile.steady);
      const { user, system } = process.cpuUsage(own);
      figures.driver_cpu_ms_per_turn = (user + system) / 1000 / meter.total('turns');
      for (const [index, { part, cpuMs }] of look().entries()) {
        figures[`cpu_ms_per_turn_${part}`] = (cpuMs - (before[index]?.cpuMs ?? 0)) / meter.total('turns');
      }
      figures.delta_ms_p50 = meter.percentile('delta', 0.5);
      figures.delta_ms_p99 = meter.percentile('delta', 0.99);
      figures.first_word_ms_p50 = meter.percentile('first_word', 0.5);
      figures.first_word_ms_p99 = meter.percentile('first_word', 0.99);
      figures.turn_ms_p50 = meter.percentile('turn', 0.5);
    });
    await measure('busy', async (world) => {
      figures.turns_per_second = await busyTurns(world, profile.busy);
    });
    await measure('storm', async (world, meter) => {
      await reconnectStorm(world, line, profile.storm);
      figures.storm_cut = meter.total('cut');
      figures.storm_back_ms_p50 = meter.percentile('back', 0.5);
      figures.storm_back_ms_p99 = meter.percentile('back', 0.99);
      figures.storm_repeated_words = meter.total('repeated');
    });
    await measure('slow', async (world, meter) => {
      const before = look();
      await slowReaders(world, slowClient, profile.slow);
      for (const [index, { part, rssKb }] of look().entries()) {
        figures[`slow_grown_mb_${part}`] = (rssKb - (before[index]?.rssKb ?? 0)) / 1024;
      }
      figures.slow_readers_seen = (await target.slowReaders?.()) ?? Number.NaN;
      figures.slow_beside_delta_ms_p99 = meter.percentile('delta', 0.99);
    });
    const { rollOut } = target;
    if (rollOut) {
      await measure('rollout', async (world, meter) => {
        await rollout(world, profile.rollout, rollOut);
        figures.rollout_turns = meter.total('turns');
        figures.rollout_retried = meter.total('retried');
        figures.rollout_pause_ms = meter.percentile('pause', 1);
        figures.rollout_pause_ms_p50 = meter.percentile('pause', 0.5);
      });
    }
  } finally {
    client.close();
    line.close();
  }
  return { figures: { ...sums, ...figures }, faults };
}
