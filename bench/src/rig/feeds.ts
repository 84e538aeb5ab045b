import { create, toBinary } from '@bufbuild/protobuf';
import type { Cluster } from '@tandem/cluster';
import { agent, encodeEnvelope } from '@tandem/proto';
import { JournalFeed, PULSE_MS } from '@tandem/test-support/cluster';

/** A frame of exactly so many bytes: an envelope with a text delta in it. */
export function frameOf(bytes: number): Uint8Array {
  for (let text = bytes; text >= 0; text -= 1) {
    const message = create(agent.AgentServerMessageSchema, {
      message: {
        case: 'interactionUpdate',
        value: { message: { case: 'textDelta', value: { text: 'x'.repeat(text) } } },
      },
    });
    const frame = encodeEnvelope(toBinary(agent.AgentServerMessageSchema, message));
    if (frame.length === bytes) return frame;
  }
  throw new RangeError(`no frame has ${bytes} bytes`);
}

/** Opens many turns, some at a time. */
export async function openFeeds(cluster: Cluster, count: number): Promise<JournalFeed[]> {
  const feeds = Array.from({ length: count }, () => new JournalFeed(cluster));
  const AT_ONCE = 100;
  for (let from = 0; from < count; from += AT_ONCE) {
    await Promise.all(feeds.slice(from, from + AT_ONCE).map((feed) => feed.open()));
  }
  return feeds;
}

/** Pulses for all of them, spread over time as turns of their own would be. @returns ends that */
export function pulseAll(feeds: readonly JournalFeed[]): () => void {
  const SLICES = 20;
  let slice = 0;
  const timer = setInterval(() => {
    for (let index = slice; index < feeds.length; index += SLICES) feeds[index]?.pulse();
    slice = (slice + 1) % SLICES;
  }, PULSE_MS / SLICES);
  return () => clearInterval(timer);
}
