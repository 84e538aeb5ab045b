import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import type { Position, RuntimeEffect, TurnFacts, TurnInput } from '@tandem/actor-core';
import { agent, tandem } from '@tandem/proto';
import { type AgentLogic, createAgent } from '../turn/create-agent.ts';
import type { AgentEffect, AgentLimits, AgentResult, ServerTools } from '../turn/effects.ts';
import type { TurnState } from '../turn/state.ts';
import { type Entry, load, places, type StoredItem, store } from './test-history.ts';

export type ClientMessage = MessageInitShape<typeof agent.AgentClientMessageSchema>['message'];

export interface TestTurnOptions {
  readonly requestId?: string;
  readonly key?: Uint8Array;
  readonly limits?: Partial<AgentLimits>;
  readonly allowedTools?: string;
  readonly excludedTools?: string;
  readonly serverTools?: Partial<ServerTools>;
}

/** The model that tests know; images allowed, a window of 1,000 tokens. */
const TEST_MODEL = { id: 'test-model', contextWindow: 1000, supportsImages: true };

/**
 * Runs one turn's logic as the runtime does: commands are applied, decided items are applied and stored, effects are
 * handed out. What is done with frames and effects is up to the test.
 */
export class TestTurn {
  readonly logic: AgentLogic;
  readonly facts: TurnFacts;
  readonly entries: Entry[] = [];
  /** Effects not taken yet. */
  effects: (AgentEffect | RuntimeEffect<AgentResult>)[] = [];
  now = 1_700_000_000_000;
  #state: TurnState;
  readonly #seqnos = new Map<string, number>();
  readonly #timers = new Map<string, AgentResult>();

  constructor(options: TestTurnOptions = {}) {
    const requestId = options.requestId ?? 'r1';
    this.logic = createAgent({
      models: { find: (id) => (id === TEST_MODEL.id ? TEST_MODEL : undefined) },
      limits: options.limits,
      serverTools: options.serverTools,
    });
    const info = create(tandem.RequestInfoSchema, {
      ownerId: 'user',
      originalRequestId: requestId,
      blobEncryptionKey: options.key,
      allowedTools: options.allowedTools,
      excludedTools: options.excludedTools,
    });
    this.facts = { ownerId: 'user', generation: 1, requestId, info };
    this.#state = this.logic.create(this.facts);
  }

  get state(): TurnState {
    return this.#state;
  }

  /** The frames behind a place, and where each stands. */
  frames(behind: Position = { entry: 0, item: 0 }): { message: agent.AgentServerMessage; at: Position }[] {
    const frames: { message: agent.AgentServerMessage; at: Position }[] = [];
    for (const [item, at] of places(this.entries, behind.entry)) {
      if (item.kind !== 'frame') continue;
      if (at.entry === behind.entry && at.item <= behind.item) continue;
      frames.push({ message: fromBinary(agent.AgentServerMessageSchema, item.bytes), at });
    }
    return frames;
  }

  get end(): Extract<StoredItem, { kind: 'end' }> | undefined {
    if (!this.#state.ended) return undefined;
    const item = this.entries.flatMap(({ items }) => items).find(({ kind }) => kind === 'end');
    return item?.kind === 'end' ? item : undefined;
  }

  /** Applies a client's message, as the next one of its request. */
  command(message: ClientMessage, requestId = this.facts.requestId): void {
    const bytes = toBinary(
      agent.AgentClientMessageSchema,
      create(agent.AgentClientMessageSchema, { message }),
    );
    const seqno = this.#seqnos.get(requestId) ?? 0;
    this.#seqnos.set(requestId, seqno + 1);
    const decoded = fromBinary(agent.AgentClientMessageSchema, bytes);
    const stored = { kind: 'command', requestId, seqno, bytes } as const;
    const at = { entry: this.entries.length + 1, item: 0 };
    this.#state = this.logic.evolve(this.#state, load(stored, this.facts.info), at);
    this.#decide({ type: 'command', requestId, seqno, message: decoded }, [stored]);
  }

  /** A further attempt: its first message. */
  attempt(message: ClientMessage, requestId: string): void {
    this.#seqnos.set(requestId, 1);
    this.input({ type: 'attempt', requestId, message: create(agent.AgentClientMessageSchema, { message }) });
  }

  input(input: TurnInput<AgentResult>): void {
    this.#decide(input, []);
  }

  /** The timer that was set last by this name goes off; nothing when there was none. */
  expire(name: string): void {
    const result = this.#timers.get(name);
    if (result) this.result(result);
  }

  result(result: AgentResult): void {
    this.input({ type: 'result', result });
  }

  /** Another process takes the turn over: all that is left is what was stored. */
  takeOver(): void {
    this.#state = this.fold();
    this.effects = [];
    this.input({ type: 'resumed' });
  }

  fold(): TurnState {
    let state = this.logic.create(this.facts);
    for (const [item, at] of places(this.entries)) {
      state = this.logic.evolve(state, load(item, this.facts.info), at);
    }
    return state;
  }

  /** Takes the effects of one type. */
  take<T extends (AgentEffect | RuntimeEffect<AgentResult>)['type']>(type: T) {
    const taken = this.effects.filter((effect) => effect.type === type);
    this.effects = this.effects.filter((effect) => effect.type !== type);
    return taken as Extract<AgentEffect | RuntimeEffect<AgentResult>, { type: T }>[];
  }

  #decide(input: TurnInput<AgentResult>, before: StoredItem[]): void {
    const next = { entry: this.entries.length + 1, item: before.length };
    const { state, items, effects } = this.logic.decide(this.#state, input, this.now, next);
    this.#state = state;
    const stored = [...before, ...items.flatMap(store)];
    if (stored.length > 0) this.entries.push({ items: stored });
    for (const effect of effects)
      if (effect.type === 'set_timer') this.#timers.set(effect.name, effect.result);
    this.effects.push(...effects);
  }
}
