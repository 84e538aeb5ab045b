import type { MessageInitShape } from '@bufbuild/protobuf';
import type { agent } from '@tandem/proto';

/** An answer to a question that is meant for the user. */
export type InteractionAnswer = MessageInitShape<typeof agent.InteractionResponseSchema>['result'];

/** Answers a question; undefined leaves it unanswered. */
export type InteractionHandler = (
  query: agent.InteractionQuery,
) => InteractionAnswer | undefined | Promise<InteractionAnswer | undefined>;

const NOBODY = 'nobody is there to answer';

/**
 * Answers as the official SDK does, which has no user to ask: questions and sign-ins are rejected, whatever merely wants
 * an approval gets one.
 */
export function answerAlone({ query }: agent.InteractionQuery): InteractionAnswer | undefined {
  switch (query.case) {
    case 'askQuestionInteractionQuery': {
      const result = { result: { case: 'rejected', value: { reason: NOBODY } } } as const;
      return { case: 'askQuestionInteractionResponse', value: { result } };
    }
    case 'createPlanRequestQuery': {
      const result = { result: { case: 'success', value: {} } } as const;
      return { case: 'createPlanRequestResponse', value: { result } };
    }
    case 'switchModeRequestQuery':
      return { case: 'switchModeRequestResponse', value: { result: { case: 'approved', value: {} } } };
    case 'webSearchRequestQuery':
      return { case: 'webSearchRequestResponse', value: { result: { case: 'approved', value: {} } } };
    case 'webFetchRequestQuery':
      return { case: 'webFetchRequestResponse', value: { result: { case: 'approved', value: {} } } };
    case 'generateImageRequestQuery':
      return { case: 'generateImageRequestResponse', value: { result: { case: 'approved', value: {} } } };
    case 'prManagementRequestQuery':
      return { case: 'prManagementResult', value: { result: { case: 'error', value: { error: NOBODY } } } };
    case 'mcpAuthRequestQuery':
      return {
        case: 'mcpAuthRequestResponse',
        value: { result: { case: 'rejected', value: { reason: NOBODY } } },
      };
    case 'connectScmRequestQuery':
      return {
        case: 'connectScmRequestResponse',
        value: { result: { case: 'rejected', value: { reason: NOBODY } } },
      };
    case 'setupVmEnvironmentArgs':
      return { case: 'setupVmEnvironmentResult', value: { result: { case: 'success', value: {} } } };
    case 'replaceEnvArgs':
      return {
        case: 'replaceEnvResult',
        value: { result: { case: 'failure', value: { errorMessage: NOBODY } } },
      };
    default:
      // Official clients leave what they do not know unanswered, too.
      return undefined;
  }
}
