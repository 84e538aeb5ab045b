import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { answersText, completionsText, goalText, planText } from '../prompt/news.ts';

/** The kinds of conversation actions that the wire knows. */
export type ActionKind = NonNullable<agent.ConversationAction['action']['case']>;

/** What an action does, to a stream that has no turn yet and to a turn that runs. */
export interface ActionRule {
  /**
   * As the action that a stream begins with: `model` begins a turn that calls a model, `shell` one that runs a command of the
   * user; `refused` ends the stream with the reason.
   */
  readonly opens: 'model' | 'shell' | 'refused';
  /** A user's doing takes the place of the conversation's active turn; what wakes up by itself waits for its end. */
  readonly byUser: boolean;
  /**
   * While a turn runs: `delivered` to the model before its next call, `done` at once, `refused` with a notice, or `moot`
   * because the turn goes on anyway.
   */
  readonly running: 'delivered' | 'done' | 'refused' | 'moot';
}

/** Every kind of action, none left to chance. */
export const ACTIONS: Readonly<Record<ActionKind, ActionRule>> = {
  userMessageAction: { opens: 'model', byUser: true, running: 'delivered' },
  resumeAction: { opens: 'model', byUser: true, running: 'moot' },
  cancelAction: { opens: 'refused', byUser: true, running: 'done' },
  summarizeAction: { opens: 'refused', byUser: true, running: 'refused' },
  shellCommandAction: { opens: 'shell', byUser: true, running: 'refused' },
  startPlanAction: { opens: 'model', byUser: true, running: 'delivered' },
  executePlanAction: { opens: 'model', byUser: true, running: 'delivered' },
  asyncAskQuestionCompletionAction: { opens: 'model', byUser: false, running: 'delivered' },
  cancelSubagentAction: { opens: 'refused', byUser: true, running: 'done' },
  backgroundTaskCompletionAction: { opens: 'model', byUser: false, running: 'delivered' },
  backgroundShellAction: { opens: 'refused', byUser: true, running: 'done' },
  backgroundSubagentAction: { opens: 'refused', byUser: true, running: 'done' },
  subscriptionNotificationAction: { opens: 'model', byUser: false, running: 'delivered' },
  goalContinuationAction: { opens: 'model', byUser: false, running: 'moot' },
  injectContextAction: { opens: 'refused', byUser: true, running: 'delivered' },
};

/** The rule of an action; undefined for one that only newer clients know. */
export function ruleOf(action: agent.ConversationAction | undefined): ActionRule | undefined {
  return action?.action.case && ACTIONS[action.action.case];
}

/** Whether an action begins a turn on a stream that was only prewarmed. */
export function opensTurn({ action }: agent.ConversationAction): boolean {
  // What concerns a turn that runs has no meaning before there is one; anything else is answered, or refused, as one.
  return action.case !== 'cancelAction' && action.case !== 'injectContextAction';
}

/** The messages that an action brings, oldest first; the last is the one that clients show for it. */
export function actionMessages(action: agent.ConversationAction | undefined): agent.UserMessage[] {
  switch (action?.action.case) {
    case 'userMessageAction': {
      const { prependUserMessages, userMessage } = action.action.value;
      return userMessage ? [...prependUserMessages, userMessage] : prependUserMessages;
    }
    case 'startPlanAction': {
      const { userMessage } = action.action.value;
      return userMessage ? [{ ...userMessage, mode: agent.AgentMode.PLAN }] : [];
    }
    case 'executePlanAction':
      return [planMessage(action.action.value)];
    case 'backgroundTaskCompletionAction':
      return [
        simulated({
          text: completionsText(action.action.value),
          simulatedMsgReason: agent.SimulatedMsgReason.BACKGROUND_TASK_COMPLETION,
        }),
      ];
    case 'asyncAskQuestionCompletionAction':
      return [simulated({ text: answersText(action.action.value) })];
    case 'subscriptionNotificationAction':
      return action.action.value.notifications;
    case 'goalContinuationAction':
      return [
        simulated({ text: goalText(), simulatedMsgReason: agent.SimulatedMsgReason.GOAL_CONTINUATION }),
      ];
    case 'injectContextAction': {
      const { payload } = action.action.value;
      const message = payload.case === 'userContext' ? payload.value.userMessage : undefined;
      return message ? [message] : [];
    }
    default:
      return [];
  }
}

/** Whether clients want to be shown the messages of an action as a part of the turn. */
export function showsMessages({ action }: agent.ConversationAction): boolean {
  return (
    (action.case === 'userMessageAction' || action.case === 'subscriptionNotificationAction') &&
    Boolean(action.value.sendToInteractionListener)
  );
}

function planMessage(action: agent.ExecutePlanAction): agent.UserMessage {
  return simulated({
    text: planText(action),
    messageId: action.kickoffMessageId,
    mode: action.executionMode || agent.AgentMode.AGENT,
    simulatedMsgReason: agent.SimulatedMsgReason.PLAN_EXECUTION,
    executePlanInfo: action.planId ? { planId: action.planId } : undefined,
  });
}

type MessageFields = Omit<MessageInitShape<typeof agent.UserMessageSchema>, '$typeName'>;

function simulated(fields: MessageFields): agent.UserMessage {
  return create(agent.UserMessageSchema, { isSimulatedMsg: true, ...fields });
}
