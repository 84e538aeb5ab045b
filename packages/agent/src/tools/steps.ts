import type { MessageInitShape } from '@bufbuild/protobuf';
import type { agent } from '@tandem/proto';
import type { Job, JobResult } from '../web/port.ts';
import type { ShellRun } from './shell-run.ts';

type ExecRequest = NonNullable<MessageInitShape<typeof agent.ExecServerMessageSchema>['message']>;
type ExecAnswer = agent.ExecClientMessage['message'];
type QueryRequest = NonNullable<MessageInitShape<typeof agent.InteractionQuerySchema>['query']>;
type QueryAnswer = agent.InteractionResponse['result'];
type ValueOf<Union extends { case?: unknown; value?: unknown }, Kind> = Extract<
  Union,
  { case: Kind }
>['value'];

/** What a tool call asks for, one thing at a time. */
export type Request =
  | {
      readonly type: 'exec';
      readonly exec: ExecRequest;
      readonly deadline: Deadline;
      /** Has no effect on anything, so that it may be asked again when nobody knows what became of it. */
      readonly repeatable: boolean;
    }
  /** Put to the user: has no deadline. */
  | { readonly type: 'query'; readonly query: QueryRequest }
  /** Goes on after a while, in ms. */
  | { readonly type: 'pause'; readonly ms: number }
  /** Done by the server itself; may be done again when a process was lost. */
  | { readonly type: 'job'; readonly job: Job };

/**
 * In ms, counted from the request, or from when the client says that it has begun: an approval comes before, and until then
 * only what is forgotten is given up.
 */
export type Deadline = { readonly ms: number; readonly from: 'request' | 'start' };

/** What came of one request. */
export type Answer =
  | { readonly type: 'exec'; readonly message: ExecAnswer }
  | { readonly type: 'shell'; readonly run: ShellRun }
  | { readonly type: 'query'; readonly result: QueryAnswer }
  | ServerAnswer;

/** What the server itself brought; kept as JSON. */
export type ServerAnswer = { readonly type: 'paused' } | { readonly type: 'job'; readonly result: JobResult };

/** A tool's work: yields requests, is given their answers, returns what came of it all. */
export type Steps<Result> = Generator<Request, Result, Answer>;

/** How an exec is asked for. */
interface ExecOptions {
  readonly deadline: Deadline;
  readonly repeatable: boolean;
}

/** How long a client may take for what it does by itself. */
const QUICK: Deadline = { ms: 120_000, from: 'request' };

/** For what a client may first put to its user, who takes the time that he takes: bounds only what is forgotten. */
export const PATIENT: Deadline = { ms: 6 * 3_600_000, from: 'request' };

/** Only looks: quickly answered, and harmless to ask again. */
export const LOOK: ExecOptions = { deadline: QUICK, repeatable: true };

/** Has an effect, which the user may have to allow first. */
export const ACT: ExecOptions = { deadline: PATIENT, repeatable: false };

/** What a client answers to each kind of exec. */
const RESULTS = {
  readArgs: 'readResult',
  writeArgs: 'writeResult',
  deleteArgs: 'deleteResult',
  lsArgs: 'lsResult',
  grepArgs: 'grepResult',
  diagnosticsArgs: 'diagnosticsResult',
  fetchArgs: 'fetchResult',
  mcpArgs: 'mcpResult',
  listMcpResourcesExecArgs: 'listMcpResourcesExecResult',
  readMcpResourceExecArgs: 'readMcpResourceExecResult',
  backgroundShellSpawnArgs: 'backgroundShellSpawnResult',
  writeShellStdinArgs: 'writeShellStdinResult',
  subagentArgs: 'subagentResult',
  subagentAwaitArgs: 'subagentAwaitResult',
} as const satisfies Partial<Record<NonNullable<ExecRequest['case']>, ExecAnswer['case']>>;

type ExecKind = keyof typeof RESULTS;
/** What came of an exec; without a case when the client's answer is not understood. */
export type ExecResult<Kind extends ExecKind> = NonNullable<
  ValueOf<ExecAnswer, (typeof RESULTS)[Kind]>
>['result'];

/** Has the client do something, and gives the result's oneof. */
export function* exec<Kind extends ExecKind>(
  kind: Kind,
  args: ValueOf<ExecRequest, Kind>,
  { deadline, repeatable }: ExecOptions,
): Steps<ExecResult<Kind>> {
  const answer = yield {
    type: 'exec',
    exec: { case: kind, value: args } as ExecRequest,
    deadline,
    repeatable,
  };
  if (answer.type !== 'exec' || answer.message.case !== RESULTS[kind]) return { case: undefined } as never;
  return answer.message.value.result as never;
}

/**
 * Has the client run a command, for as long as that takes.
 * @param ms how long it may run
 * @returns what the command did; undefined when the client's answer is not understood
 */
export function* shell(
  args: ValueOf<ExecRequest, 'shellStreamArgs'>,
  ms: number,
): Steps<ShellRun | undefined> {
  const answer = yield {
    type: 'exec',
    exec: { case: 'shellStreamArgs', value: args },
    deadline: { ms, from: 'start' },
    repeatable: false,
  };
  return answer.type === 'shell' ? answer.run : undefined;
}

/** What users answer to each kind of query. */
const RESPONSES = {
  askQuestionInteractionQuery: 'askQuestionInteractionResponse',
  createPlanRequestQuery: 'createPlanRequestResponse',
  switchModeRequestQuery: 'switchModeRequestResponse',
  webFetchRequestQuery: 'webFetchRequestResponse',
  webSearchRequestQuery: 'webSearchRequestResponse',
} as const satisfies Partial<Record<NonNullable<QueryRequest['case']>, QueryAnswer['case']>>;

type QueryKind = keyof typeof RESPONSES;

/** Puts something to the user, and gives the response; undefined when it is not understood. */
export function* query<Kind extends QueryKind>(
  kind: Kind,
  value: ValueOf<QueryRequest, Kind>,
): Steps<ValueOf<QueryAnswer, (typeof RESPONSES)[Kind]> | undefined> {
  const answer = yield { type: 'query', query: { case: kind, value } as QueryRequest };
  if (answer.type !== 'query' || answer.result.case !== RESPONSES[kind]) return undefined;
  return answer.result.value as never;
}

/** Has the server itself do something. */
export function* job(work: Job): Steps<JobResult> {
  const answer = yield { type: 'job', job: work };
  return answer.type === 'job' ? answer.result : { type: 'failed', reason: NOT_UNDERSTOOD };
}

/** Waits, for so many ms. */
export function* pause(ms: number): Steps<void> {
  yield { type: 'pause', ms };
}

export const NOT_UNDERSTOOD = 'The client gave an answer that is not understood.';

/** Said of what the user, or a rule of his, has refused. */
export function notAllowed(reason: string): string {
  return `The user did not allow it. ${reason}`.trim();
}

/** Why something was refused that the user was asked to allow. */
export function whyRefused(
  result: { readonly case: string; readonly value: unknown } | { readonly case: undefined } | undefined,
): string {
  if (result?.case !== 'rejected') return NOT_UNDERSTOOD;
  return notAllowed((result.value as { reason: string }).reason);
}
