import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { answersText, completionsText, goalText, planText } from '../../prompt/news.ts';

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
