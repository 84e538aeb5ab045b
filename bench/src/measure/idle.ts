import { openFeeds, pulseAll } from '../rig/feeds.ts';
import type { Rig, RunningServer } from '../rig/rig.ts';
import { openStreams } from '../rig/stream-socket.ts';
import { median } from '../statistics.ts';
import type { Findings } from './measurement.ts';

const STREAMS = 2000;
/** Streams come and go before, so many at a time and so often: what only the first ones cost is no matter of each. */
const WARM_UP = 200;
const WARM_UP_ROUNDS = 1;
const REPETITIONS = 2;
/** Memory is looked at until it grows by less than this between two looks. */
const SETTLED_BYTES = 256 * 1024;
const LOOKS = 5;

/** Memory per idle stream, of a gateway and of a bare server, each time in a fresh process. */
export async function measureIdle(rig: Rig): Promise<Findings> {
  rig.pinRest('0,1');
  const feeds = await openFeeds(rig.cluster, STREAMS + WARM_UP);
  const endPulses = pulseAll(feeds);
  const ids = feeds.map(({ requestId }) => requestId);
  const rounds = [];
  for (let round = 0; round < REPETITIONS; round += 1) {
    const gateway = await grow(rig, await rig.startGateway(), ids);
    const bare = await grow(rig, await rig.startBareServer(), ids);
    rounds.push({ gateway, bare, ratio: gateway.rss / bare.rss });
  }
  endPulses();
  return {
    figures: {
      idle_ratio: median(rounds.map(({ ratio }) => ratio)),
      idle_kib_per_stream: median(rounds.map(({ gateway }) => gateway.rss)) / 1024,
      idle_heap_kib_per_stream: median(rounds.map(({ gateway }) => gateway.heap)) / 1024,
      bare_kib_per_stream: median(rounds.map(({ bare }) => bare.rss)) / 1024,
      bare_heap_kib_per_stream: median(rounds.map(({ bare }) => bare.heap)) / 1024,
    },
    setting: `resident memory grown by ${STREAMS} streams after ${WARM_UP * WARM_UP_ROUNDS} had come and gone, garbage collected`,
  };
}

interface Growth {
  /** Bytes a stream. */
  readonly rss: number;
  readonly heap: number;
}

async function grow(rig: Rig, { process, port }: RunningServer, ids: readonly string[]): Promise<Growth> {
  const { apiKey } = rig;
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) {
    const some = await openStreams(port, ids.slice(STREAMS), { apiKey });
    for (const stream of some) stream.close();
  }
  const before = await settled(process);
  const streams = await openStreams(port, ids.slice(0, STREAMS), { apiKey });
  const after = await settled(process);
  for (const stream of streams) stream.close();
  await process.stop();
  return {
    rss: (after.rss - before.rss) / STREAMS,
    heap: (after.heapUsed - before.heapUsed) / STREAMS,
  };
}

/** Looks every half a second until two looks agree: what opening a stream left behind goes with time. */
async function settled(process: RunningServer['process']) {
  let last = await process.settledMemory();
  for (let look = 0; look < LOOKS; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    const next = await process.settledMemory();
    const difference = Math.abs(next.rss - last.rss);
    last = next;
    if (difference < SETTLED_BYTES) break;
  }
  return last;
}
