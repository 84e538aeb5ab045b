import { create, toBinary } from '@bufbuild/protobuf';
import type { Clock, Position } from '@tandem/actor-core';
import { agent, encodeEnvelope } from '@tandem/proto';
import { encodeFrames } from './encode-frames.ts';
import type { Picked } from './frame-picker.ts';
import type { Liveness } from './liveness.ts';
import type { ReaderObserver, Sink } from './reader-types.ts';

export interface FrameWriterDeps {
  readonly sink: Sink;
  readonly clock: Clock;
  readonly liveness: Liveness;
  readonly observer: ReaderObserver;
  readonly acceptsGzip: boolean;
}

/** Writes frames to one client, and knows how far it came. */
export class FrameWriter {
  readonly #deps: FrameWriterDeps;
  readonly #startedAt: number;
  #position: Position | undefined;
  #blockedSince: number | undefined;
  /** Since when the client is up with the log: what was made before then was late for reasons that are not the relay's. */
  #freshSince = Number.POSITIVE_INFINITY;
  #stopped = false;

  constructor(deps: FrameWriterDeps) {
    this.#deps = deps;
    this.#startedAt = deps.clock.now();
  }

  /** The place of the last frame written. */
  get position(): Position | undefined {
    return this.#position;
  }

  /** Since when the client takes nothing, if so. */
  get blockedSince(): number | undefined {
    return this.#blockedSince;
  }

  /** All that was stored before now has been given to the writer. */
  caughtUp(): void {
    this.#freshSince = Math.min(this.#freshSince, this.#deps.clock.now());
  }

  /** Writes no frame any more, not even those that are being compressed. */
  stop(): void {
    this.#stopped = true;
  }

  /**
   * Writes an entry's frames at once.
   * @param madeAt when a worker made them, milliseconds since 1970
   * @returns a promise when the client has to catch up first
   */
  send(picked: Picked, madeAt: number): void | Promise<void> {
    const bytes = encodeFrames(picked.frames, this.#deps.acceptsGzip);
    if (bytes instanceof Uint8Array) return this.#send(bytes, picked, madeAt);
    return bytes.then((ready) => this.#send(ready, picked, madeAt));
  }

  /** Writes bytes that are no frame of the journal. */
  write(bytes: Uint8Array): void | Promise<void> {
    const { sink, clock, liveness } = this.#deps;
    const now = clock.now();
    liveness.wrote(now);
    const pending = sink.write(bytes);
    if (!pending) return;
    this.#blockedSince ??= now;
    return pending.then(() => {
      this.#blockedSince = undefined;
      this.#freshSince = clock.now();
      liveness.worked(clock.now());
    });
  }

  #send(bytes: Uint8Array, picked: Picked, madeAt: number): void | Promise<void> {
    if (this.#stopped) return;
    const { observer, clock } = this.#deps;
    const now = clock.now();
    if (!this.#position) observer.firstFrame?.(now - this.#startedAt);
    if (madeAt >= this.#freshSince) observer.relayed?.(Math.max(0, now - madeAt));
    this.#position = picked.position;
    observer.frames?.(picked.frames.length, bytes.length);
    return this.write(bytes);
  }
}

/** The frame that keeps a silent stream open; it is part of no log. */
export const HEARTBEAT_FRAME: Uint8Array = encodeEnvelope(
  toBinary(
    agent.AgentServerMessageSchema,
    create(agent.AgentServerMessageSchema, {
      message: {
        case: 'interactionUpdate',
        value: create(agent.InteractionUpdateSchema, {
          message: { case: 'heartbeat', value: create(agent.HeartbeatUpdateSchema) },
        }),
      },
    }),
  ),
);
