import type { agent } from '@tandem/proto';
import type { Answer } from './tool.ts';

type ExecMessage = agent.ExecClientMessage['message'];
type QueryResult = agent.InteractionResponse['result'];
type ValueOf<Union extends { case?: string | undefined; value?: unknown }, Kind> = Extract<
  Union,
  { case: Kind }
>['value'];

export const NOT_UNDERSTOOD = 'The client gave an answer that is not understood.';

/** Said of what the user, or a rule of his, has refused. */
export function notAllowed(reason: string): string {
  return `The user did not allow it. ${reason}`.trim();
}

/** A client's answer to an exec; undefined when it is of another kind. */
export function execResult<Kind extends NonNullable<ExecMessage['case']>>(
  answer: Answer | undefined,
  kind: Kind,
): ValueOf<ExecMessage, Kind> | undefined {
  if (answer?.type !== 'exec' || answer.message.case !== kind) return undefined;
  return answer.message.value as never;
}

/** A user's answer; undefined when it is of another kind. */
export function queryResult<Kind extends NonNullable<QueryResult['case']>>(
  answer: Answer | undefined,
  kind: Kind,
): ValueOf<QueryResult, Kind> | undefined {
  if (answer?.type !== 'query' || answer.result.case !== kind) return undefined;
  return answer.result.value as never;
}
