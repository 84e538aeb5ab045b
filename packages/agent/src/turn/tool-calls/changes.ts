import { create, toBinary } from '@bufbuild/protobuf';
import { agent, type tandem } from '@tandem/proto';
import type { Kept } from '../../tools/tool.ts';
import type { TurnState } from '../state.ts';
import type { Step } from '../step.ts';

/** What the turn's tool calls have left for the conversation's state; undefined: as it came. */
export interface ConversationChanges {
  /** Blob ids. */
  readonly todos: readonly Uint8Array[] | undefined;
  readonly plan: Uint8Array | undefined;
  readonly mode: agent.AgentMode | undefined;
}

export const NO_CHANGES: ConversationChanges = { todos: undefined, plan: undefined, mode: undefined };

/** Writes what a call leaves as blobs, for the next checkpoint. */
export function recordChanges(step: Step, { todos, plan, mode }: Kept): void {
  const todoBlobIds = todos?.map((todo) =>
    step.write(toBinary(agent.TodoItemSchema, create(agent.TodoItemSchema, todo))),
  );
  const planBlobId =
    plan === undefined
      ? undefined
      : step.write(toBinary(agent.ConversationPlanSchema, create(agent.ConversationPlanSchema, { plan })));
  step.record({ case: 'toolKept', value: { todos: todos !== undefined, todoBlobIds, planBlobId, mode } });
}

export function evolveChanges(before: ConversationChanges, record: tandem.ToolKept): ConversationChanges {
  return {
    todos: record.todos ? record.todoBlobIds : before.todos,
    plan: record.planBlobId.length > 0 ? record.planBlobId : before.plan,
    mode: record.mode || before.mode,
  };
}

/** The fields of a checkpoint that tool calls have changed. */
export function changedFields({ changes }: TurnState): Partial<agent.ConversationStateStructure> {
  return {
    ...(changes.todos && { todos: [...changes.todos] }),
    ...(changes.plan && { plan: changes.plan }),
    ...(changes.mode && { mode: changes.mode }),
  };
}
