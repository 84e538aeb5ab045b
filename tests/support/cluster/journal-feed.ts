import { randomUUID } from 'node:crypto';
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { journalSubject, pulseSubject, turnKey } from '@tandem/actor-core';
import type { Cluster } from '@tandem/cluster';
import { SINGLE_USER_ID } from '@tandem/platform';
import { tandem } from '@tandem/proto';

const GENERATION = 1n;
const EPOCH = 1;

/** How often the owner of a turn gives its readers a sign of life, milliseconds. */
export const PULSE_MS = 2000;

type ItemKind = MessageInitShape<typeof tandem.ItemSchema>['kind'];

/** The journal of one turn of the single user, as its actor would write it: fenced entries, one in flight. */
export class JournalFeed {
  readonly requestId = randomUUID();
  readonly #key = turnKey(SINGLE_USER_ID, this.requestId);
  readonly #cluster: Cluster;
  readonly #subject = journalSubject(this.#key);
  readonly #pulseSubject = pulseSubject(this.#key);
  #sequence = 0;
  #number = 0;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** Writes the entry that opens the turn. */
  open(): Promise<void> {
    return this.#append([
      { case: 'opened', value: { requestId: this.requestId, commandSet: 'feed' } },
      { case: 'owner', value: { workerId: 'feed', takeovers: 0 } },
    ]);
  }

  /** Writes an entry with these frames; resolves when it is stored. */
  frames(frames: readonly Uint8Array[]): Promise<void> {
    return this.#append(frames.map((value) => ({ case: 'frame', value })));
  }

  /** The sign of life that readers of a turn get. */
  pulse(): void {
    const pulse = create(tandem.PulseSchema, {
      generation: GENERATION,
      lastSequence: BigInt(this.#sequence),
    });
    this.#cluster.signals.publish(this.#pulseSubject, toBinary(tandem.PulseSchema, pulse));
  }

  async #append(kinds: readonly ItemKind[]): Promise<void> {
    this.#number += 1;
    const entry = create(tandem.EntrySchema, {
      generation: GENERATION,
      epoch: BigInt(EPOCH),
      number: BigInt(this.#number),
      atMs: BigInt(Date.now()),
      items: kinds.map((kind) => ({ kind })),
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
