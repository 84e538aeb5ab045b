import { create } from '@bufbuild/protobuf';
import { TandemError } from '@tandem/errors';
import { agent } from '@tandem/proto';
import type { EffectRunner, HistoryItem, NewItem, TurnFacts, TurnInput, TurnLogic } from '../actor/logic.ts';

/**
 * A turn for tests of the runtime: every client message that names an exec id (`control`) is echoed as text; a
 * `work` effect is started for id 100 and up; id 999 ends the turn.
 */
export interface ToyState {
  readonly facts: TurnFacts;
  readonly texts: readonly string[];
  readonly working: boolean;
  readonly ended: boolean;
}

export type ToyEffect = { readonly type: 'work'; readonly id: number };
export type ToyResult = { readonly done: number };

export const toyLogic: TurnLogic<ToyState, ToyEffect, ToyResult, never> = {
  create: (facts) => ({ facts, texts: [], working: false, ended: false }),
  evolve,
  decide(state, input) {
    const [items, effects] = decideToy(state, input);
    return { items, effects, state: items.reduce(evolve, state) };
  },
};

function evolve(state: ToyState, item: HistoryItem<never>): ToyState {
  if (item.kind === 'frame') return { ...state, texts: [...state.texts, textOf(item.message)] };
  if (item.kind === 'end') return { ...state, ended: true };
  if (item.kind === 'command') return { ...state, working: execId(item.message) >= 100 };
  return state;
}

function decideToy(state: ToyState, input: TurnInput<ToyResult>): [NewItem<never>[], ToyEffect[]] {
  switch (input.type) {
    case 'command': {
      const id = execId(input.message);
      if (id === 999) return [[text('bye'), { kind: 'end', outcome: 'completed' }], []];
      if (id === 998) throw new Error('a fault of the logic');
      return [[text(`${input.requestId}#${input.seqno}:${id}`)], id >= 100 ? [{ type: 'work', id }] : []];
    }
    case 'result':
      return [[text(`done ${input.result.done}`)], []];
    case 'attempt':
      return [[{ kind: 'attempt', requestId: input.requestId, start: undefined }], []];
    case 'resumed':
      return [[text('resumed')], []];
    case 'orphaned':
    case 'superseded': {
      const error = new TandemError(input.type === 'orphaned' ? 'client_gone' : 'superseded');
      return [[text(input.type), { kind: 'end', outcome: 'canceled', error }], []];
    }
    case 'failed':
      return [[{ kind: 'end', outcome: 'failed', error: input.error }], []];
    default:
      return [[text(`${input.type} ${state.texts.length}`)], []];
  }
}

/** Effects that answer when told. */
export function toyRunner(): EffectRunner<ToyEffect, ToyResult> & {
  release(id: number): void;
  started: number[];
} {
  const waiting = new Map<number, (result: ToyResult) => void>();
  const started: number[] = [];
  return {
    started,
    run(effect, _facts, emit, signal) {
      started.push(effect.id);
      waiting.set(effect.id, (result) => {
        if (!signal.aborted) emit(result);
      });
    },
    release: (id) => waiting.get(id)?.({ done: id }),
  };
}

/** A client message that carries a number. */
export function numbered(id: number): agent.AgentClientMessage {
  return create(agent.AgentClientMessageSchema, {
    message: {
      case: 'execClientControlMessage',
      value: create(agent.ExecClientControlMessageSchema, {
        message: { case: 'heartbeat', value: create(agent.ExecClientHeartbeatSchema, { id }) },
      }),
    },
  });
}

function execId(message: agent.AgentClientMessage): number {
  const control =
    message.message.case === 'execClientControlMessage' ? message.message.value.message : undefined;
  return control?.case === 'heartbeat' ? control.value.id : 0;
}

function text(value: string) {
  const update = create(agent.InteractionUpdateSchema, {
    message: { case: 'textDelta', value: { text: value } },
  });
  const message = create(agent.AgentServerMessageSchema, {
    message: { case: 'interactionUpdate', value: update },
  });
  return { kind: 'frame', message } as const;
}

function textOf(message: agent.AgentServerMessage): string {
  const update = message.message.case === 'interactionUpdate' ? message.message.value.message : undefined;
  return update?.case === 'textDelta' ? update.value.text : '';
}
