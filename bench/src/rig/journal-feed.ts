import { randomUUID } from 'node:crypto';
import { create, toBinary } from '@bufbuild/protobuf';
import { journalSubject, pulseSubject, type TurnKey, turnKey } from '@tandem/actor-core';
import type { Cluster } from '@tandem/cluster';
import { agent, encodeEnvelope, tandem } from '@tandem/proto';

/** The one user of a gateway that is configured with a key alone. */
const OWNER_ID = 'default';
const GENERATION = 1n;
const EPOCH = 1;
const PULSE_MS = 2000;

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

/** The journal of one turn as its actor would write it: fenced entries, one in flight. */
export class JournalFeed {
  readonly requestId = `bench-${randomUUID()}`;
  readonly key: TurnKey = turnKey(OWNER_ID, this.requestId);
  readonly #cluster: Cluster;
  readonly #subject = journalSubject(this.key);
  readonly #pulseSubject = pulseSubject(this.key);
  #sequence = 0;
  #number = 0;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** Writes the entry that opens the turn. */
  async open(): Promise<void> {
    const opened = { requestId: this.requestId, commandSet: 'bench' };
    await this.#append([
      create(tandem.ItemSchema, { kind: { case: 'opened', value: opened } }),
      create(tandem.ItemSchema, { kind: { case: 'owner', value: { workerId: 'bench', takeovers: 0 } } }),
    ]);
  }

  /** Writes an entry with these frames; resolves when it is stored. */
  async frames(frames: readonly Uint8Array[]): Promise<void> {
    await this.#append(
      frames.map((frame) => create(tandem.ItemSchema, { kind: { case: 'frame', value: frame } })),
    );
  }

  /** The sign of life that readers of a turn get. */
  pulse(): void {
    const pulse = create(tandem.PulseSchema, {
      generation: GENERATION,
      lastSequence: BigInt(this.#sequence),
    });
    this.#cluster.signals.publish(this.#pulseSubject, toBinary(tandem.PulseSchema, pulse));
  }

  async #append(items: tandem.Item[]): Promise<void> {
    this.#number += 1;
    const entry = create(tandem.EntrySchema, {
      generation: GENERATION,
      epoch: BigInt(EPOCH),
      number: BigInt(this.#number),
      atMs: BigInt(Date.now()),
      items,
    });
    const part = { set: `${EPOCH}.${this.#number}`, index: 0, count: 1 };
    const { sequence } = await this.#cluster.log.append(
      this.#subject,
      part,
      toBinary(tandem.EntrySchema, entry),
      { expectedLast: this.#sequence },
    );
    this.#sequence = sequence;
  }
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
