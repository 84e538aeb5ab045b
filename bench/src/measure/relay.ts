import type { JournalFeed } from '@tandem/test-support/cluster';
import { frameOf, openFeeds, pulseAll } from '../rig/feeds.ts';
import type { Rig, RunningServer } from '../rig/rig.ts';
import { openStreams } from '../rig/stream-socket.ts';
import { median } from '../statistics.ts';
import type { Findings } from './measurement.ts';

const FRAME_BYTES = 120;
const STREAMS = 100;
const REPETITIONS = 9;
/** Frames an entry, and entries a stream and repetition. */
const SETTINGS = [
  { batch: 1, entries: 120 },
  { batch: 16, entries: 100 },
] as const;

/** Clients that count what comes, and tell when all of it has. */
class Arrivals {
  #bytes = 0;
  #waiting: { bytes: number; resolve: () => void } | undefined;

  readonly take = (count: number): void => {
    this.#bytes += count;
    if (this.#waiting && this.#bytes >= this.#waiting.bytes) this.#waiting.resolve();
  };

  /** Resolves when so many more bytes have come than when it was called. */
  async more(bytes: number): Promise<void> {
    const wanted = this.#bytes + bytes;
    await new Promise<void>((resolve) => {
      this.#waiting = { bytes: wanted, resolve };
    });
    this.#waiting = undefined;
  }
}

/** Frames a second of CPU time, through the relay and from a bare server, and how they compare. */
export async function measureRelay(rig: Rig): Promise<Findings> {
  const gateway = await rig.startGateway();
  const bare = await rig.startBareServer();
  rig.pinRest('0');
  for (const { process } of [gateway, bare]) process.pin('1');
  const feeds = await openFeeds(rig.cluster, STREAMS);
  const endPulses = pulseAll(feeds);
  const relayed = new Arrivals();
  const written = new Arrivals();
  const ids = feeds.map(({ requestId }) => requestId);
  const { apiKey } = rig;
  const clients = [
    ...(await openStreams(gateway.port, ids, { apiKey, onBytes: relayed.take })),
    ...(await openStreams(bare.port, ids, { apiKey, onBytes: written.take })),
  ];

  const figures: Record<string, number> = {};
  for (const { batch, entries } of SETTINGS) {
    const relay = () => relayRound(gateway, feeds, relayed, batch, entries);
    // At the pace that the relay had.
    const reference = (pace: number) => bareRound(bare, written, { frames: batch, writes: entries, pace });
    await reference((await relay()).perSecond / batch);
    const rounds = [];
    for (let round = 0; round < REPETITIONS; round += 1) {
      const through = await relay();
      const direct = await reference(through.perSecond / batch);
      rounds.push({ through, direct, ratio: through.perCpuSecond / direct.perCpuSecond });
    }
    figures[`relay_ratio_batch_${batch}`] = median(rounds.map(({ ratio }) => ratio));
    figures[`relay_frames_per_cpu_s_batch_${batch}`] = median(
      rounds.map(({ through }) => through.perCpuSecond),
    );
    figures[`bare_frames_per_cpu_s_batch_${batch}`] = median(rounds.map(({ direct }) => direct.perCpuSecond));
    figures[`relay_frames_per_s_batch_${batch}`] = median(rounds.map(({ through }) => through.perSecond));
  }
  endPulses();
  for (const client of clients) client.close();
  for (const { process } of [gateway, bare]) await process.stop();
  return {
    figures: { relay_ratio: figures.relay_ratio_batch_16 ?? Number.NaN, ...figures },
    setting: `${STREAMS} streams, frames of ${FRAME_BYTES} bytes, one write a journal entry and the same pace on both sides; headline with 16 frames an entry`,
  };
}

interface Round {
  readonly perCpuSecond: number;
  readonly perSecond: number;
}

async function relayRound(
  { process }: RunningServer,
  feeds: readonly JournalFeed[],
  arrivals: Arrivals,
  batch: number,
  entries: number,
): Promise<Round> {
  const frames = new Array<Uint8Array>(batch).fill(frameOf(FRAME_BYTES));
  const total = feeds.length * entries * batch;
  const write = async (feed: JournalFeed) => {
    for (let entry = 0; entry < entries; entry += 1) await feed.frames(frames);
  };
  return timed(process.cpuMs, total, async () => {
    await Promise.all([arrivals.more(total * FRAME_BYTES), ...feeds.map(write)]);
  });
}

function bareRound(
  { process }: RunningServer,
  arrivals: Arrivals,
  order: { frames: number; writes: number; pace: number },
): Promise<Round> {
  const total = STREAMS * order.writes * order.frames;
  return timed(process.cpuMs, total, async () => {
    await Promise.all([
      arrivals.more(total * FRAME_BYTES),
      process.ask({ ...order, frameBytes: FRAME_BYTES }),
    ]);
  });
}

async function timed(cpuMs: () => Promise<number>, frames: number, run: () => Promise<void>): Promise<Round> {
  const cpuBefore = await cpuMs();
  const began = performance.now();
  await run();
  const ms = performance.now() - began;
  const usedMs = (await cpuMs()) - cpuBefore;
  return { perCpuSecond: (frames * 1000) / usedMs, perSecond: (frames * 1000) / ms };
}
