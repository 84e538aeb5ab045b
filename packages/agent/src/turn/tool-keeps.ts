import { create, toBinary } from '@bufbuild/protobuf';
import { agent, type tandem } from '@tandem/proto';
import type { Kept } from '../tools/tool.ts';
import type { TurnState } from './state.ts';
import type { Step } from './step.ts';

/** What the turn's tool calls have left for the conversation's state; undefined: as it came. */
export interface KeptState {
  /** Blob ids. */
  readonly todos: readonly Uint8Array[] | undefined;
  readonly plan: Uint8Array | undefined;
  readonly mode: agent.AgentMode | undefined;
}

export const NOTHING_KEPT: KeptState = { todos: undefined, plan: undefined, mode: undefined };

/** Writes what a call leaves as blobs, for the next checkpoint. */
export function keep(step: Step, { todos, plan, mode }: Kept): void {
  const todoBlobIds = todos?.map((todo) =>
    step.write(toBinary(agent.TodoItemSchema, create(agent.TodoItemSchema, todo))),
  );
  const planBlobId =
    plan === undefined
      ? undefined
      : step.write(toBinary(agent.ConversationPlanSchema, create(agent.ConversationPlanSchema, { plan })));
  step.record({ case: 'toolKept', value: { todos: todos !== undefined, todoBlobIds, planBlobId, mode } });
}

export function evolveKept(kept: KeptState, record: tandem.ToolKept): KeptState {
  return {
    todos: record.todos ? record.todoBlobIds : kept.todos,
    plan: record.planBlobId.length > 0 ? record.planBlobId : kept.plan,
    mode: record.mode || kept.mode,
  };
}

/** The fields of a checkpoint that tool calls have changed. */
export function keptFields({ kept }: TurnState): Partial<agent.ConversationStateStructure> {
  return {
    ...(kept.todos && { todos: [...kept.todos] }),
    ...(kept.plan && { plan: kept.plan }),
    ...(kept.mode && { mode: kept.mode }),
  };
}
