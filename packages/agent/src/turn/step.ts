import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Decision, Position, RuntimeEffect } from '@tandem/actor-core';
import { agent, encodeHex, tandem } from '@tandem/proto';
import { blobId } from './blobs/state.ts';
import {
  type AgentConfig,
  type AgentEffect,
  type AgentItem,
  type AgentLocal,
  type AgentResult,
  type AgentTimer,
  type Blob,
  timerName,
} from './effects.ts';
import type { TurnState } from './state.ts';

type ServerMessage = MessageInitShape<typeof agent.AgentServerMessageSchema>['message'];
type Update = MessageInitShape<typeof agent.InteractionUpdateSchema>['message'];
type Record = MessageInitShape<typeof tandem.TurnRecordSchema>['kind'];
type Effect = AgentEffect | RuntimeEffect<AgentResult>;

/**
 * One decision in the making. Each item is applied to `state` as soon as it is added, in the place where it will stand: what
 * follows is decided from what is already so, and no item is applied twice.
 */
export class Step {
  readonly config: AgentConfig;
  /** Ms since the epoch. */
  readonly now: number;
  state: TurnState;
  readonly #evolve: (state: TurnState, item: AgentItem, at: Position) => TurnState;
  #next: Position;
  readonly #items: AgentItem[] = [];
  readonly #effects: Effect[] = [];
  readonly #written: Blob[] = [];

  /** @param next where the first item will stand */
  constructor(
    config: AgentConfig,
    evolve: (state: TurnState, item: AgentItem, at: Position) => TurnState,
    state: TurnState,
    now: number,
    next: Position,
  ) {
    this.config = config;
    this.#evolve = evolve;
    this.state = state;
    this.now = now;
    this.#next = next;
  }

  add(item: AgentItem): void {
    this.#items.push(item);
    this.state = this.#evolve(this.state, item, this.#next);
    if (item.kind !== 'local') this.#next = { entry: this.#next.entry, item: this.#next.item + 1 };
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

  effect(effect: Effect): void {
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
  startTimer(timer: AgentTimer, ms: number): void {
    const name = timerName(timer);
    if (this.state.process.timers.has(name)) return;
    this.local({ type: 'timer', timer, running: true });
    this.effect({ type: 'set_timer', name, ms, result: { type: 'timer', timer } });
  }

  stopTimer(timer: AgentTimer): void {
    const name = timerName(timer);
    if (!this.state.process.timers.has(name)) return;
    this.local({ type: 'timer', timer, running: false });
    this.effect({ type: 'clear_timer', name });
  }

  decision(): Decision<TurnState, AgentEffect, AgentResult, AgentLocal> {
    const cache = this.#written.length > 0 && this.state.facts.info.blobEncryptionKey.length > 0;
    const effects = cache
      ? [...this.#effects, { type: 'cache_blobs', blobs: this.#written } as const]
      : this.#effects;
    return { state: this.state, items: this.#items, effects };
  }
}
