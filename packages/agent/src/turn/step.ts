import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { RuntimeEffect } from '@tandem/actor-core';
import { agent, encodeHex, tandem } from '@tandem/proto';
import { blobId } from './blobs/blob-id.ts';
import type { AgentConfig, AgentDecision, AgentEffect, AgentItem, AgentLocal, Blob } from './effects.ts';
import { evolve } from './evolve.ts';
import { NOWHERE } from './position.ts';
import type { TurnState } from './state.ts';

type ServerMessage = MessageInitShape<typeof agent.AgentServerMessageSchema>['message'];
type Update = MessageInitShape<typeof agent.InteractionUpdateSchema>['message'];
type Record = MessageInitShape<typeof tandem.TurnRecordSchema>['kind'];

/**
 * One decision in the making. Each item is applied to `state` as soon as it is added, so that what follows is decided
 * from what is already so; the runtime applies the same items to the stored state later.
 */
export class Step {
  state: TurnState;
  readonly now: number;
  readonly config: AgentConfig;
  readonly #items: AgentItem[] = [];
  readonly #effects: (AgentEffect | RuntimeEffect)[] = [];
  readonly #written: Blob[] = [];

  constructor(config: AgentConfig, state: TurnState, now: number) {
    this.config = config;
    this.state = state;
    this.now = now;
  }

  add(item: AgentItem): void {
    this.#items.push(item);
    this.state = evolve(this.state, item, NOWHERE);
  }

  frame(message: ServerMessage): void {
    this.add({ kind: 'frame', message: create(agent.AgentServerMessageSchema, { message }) });
  }

  /** Shows something. `startedAtMs` marks the first frame of what takes time. */
  update(message: Update, startedAtMs?: number): void {
    const messageStartedAtMs = startedAtMs === undefined ? undefined : BigInt(startedAtMs);
    this.frame({ case: 'interactionUpdate', value: { message, messageStartedAtMs } });
  }

  record(kind: Record): void {
    this.add({ kind: 'record', record: create(tandem.TurnRecordSchema, { kind }) });
  }

  local(value: AgentLocal): void {
    this.add({ kind: 'local', value });
  }

  effect(effect: AgentEffect | RuntimeEffect): void {
    this.#effects.push(effect);
  }

  /** Asks the client to keep a blob, and returns its id. */
  write(data: Uint8Array): Uint8Array {
    const id = blobId(data);
    this.setBlob(id, data);
    this.#written.push({ id: encodeHex(id), data });
    return id;
  }

  setBlob(id: Uint8Array, data: Uint8Array): void {
    const message = { case: 'setBlobArgs', value: { blobId: id, blobData: data } } as const;
    this.frame({ case: 'kvServerMessage', value: { id: this.state.nextKv, message } });
  }

  /** Starts a timer unless it runs. */
  startTimer(name: string, ms: number): void {
    if (this.state.process.timers.has(name)) return;
    this.local({ type: 'timer', name, running: true });
    this.effect({ type: 'set_timer', name, ms });
  }

  stopTimer(name: string): void {
    if (!this.state.process.timers.has(name)) return;
    this.local({ type: 'timer', name, running: false });
    this.effect({ type: 'clear_timer', name });
  }

  decision(): AgentDecision {
    const cache = this.#written.length > 0 && this.state.facts.info.blobEncryptionKey.length > 0;
    const effects = cache
      ? [...this.#effects, { type: 'cache_blobs', blobs: this.#written } as const]
      : this.#effects;
    return { items: this.#items, effects };
  }
}
