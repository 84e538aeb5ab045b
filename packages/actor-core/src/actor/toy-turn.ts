import { create } from '@bufbuild/protobuf';
import { TandemError } from '@tandem/errors';
import { agent } from '@tandem/proto';
import type { Decision, EffectRunner, TurnFacts, TurnInput, TurnLogic } from './logic.ts';

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
  evolve(state, item) {
    if (item.kind === 'frame') return { ...state, texts: [...state.texts, textOf(item.message)] };
    if (item.kind === 'end') return { ...state, ended: true };
    if (item.kind === 'command') return { ...state, working: execId(item.message) >= 100 };
    return state;
  },
  decide(state, input) {
    return decideToy(state, input);
  },
};

function decideToy(state: ToyState, input: TurnInput<ToyResult>): Decision<ToyEffect, never> {
  switch (input.type) {
    case 'command': {
      const id = execId(input.message);
      if (id === 999) return { items: [text('bye'), { kind: 'end', outcome: 'completed' }], effects: [] };
      if (id === 998) throw new Error('a fault of the logic');
      return {
        items: [text(`${input.requestId}#${input.seqno}:${id}`)],
        effects: id >= 100 ? [{ type: 'work', id }] : [],
      };
    }
    case 'result':
      return { items: [text(`done ${input.result.done}`)], effects: [] };
    case 'attempt':
      return { items: [{ kind: 'attempt', requestId: input.requestId, start: undefined }], effects: [] };
    case 'resumed':
      return { items: [text('resumed')], effects: [] };
    case 'orphaned':
    case 'superseded': {
      const error = new TandemError(input.type === 'orphaned' ? 'client_gone' : 'superseded');
      return { items: [text(input.type), { kind: 'end', outcome: 'canceled', error }], effects: [] };
    }
    case 'failed':
      return { items: [{ kind: 'end', outcome: 'failed', error: input.error }], effects: [] };
    default:
      return { items: [text(`${input.type} ${state.texts.length}`)], effects: [] };
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
