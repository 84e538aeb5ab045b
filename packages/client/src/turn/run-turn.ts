import { retry } from '@tandem/errors';
import type { agent } from '@tandem/proto';
import type { Connection, Entropy } from '../connection.ts';
import type { ServerFrame } from '../stream/event-reader.ts';
import type { TurnStream } from '../stream/open-turn.ts';
import { type Answers, type Attempt, type AttemptOptions, runAttempt } from './attempt.ts';
import { OFFICIAL_RETRIES, type RetryClass, type RetryPolicy, retryClass } from './retry-policy.ts';
import { runRequest } from './run-request.ts';
import { sumUsage, type Usage } from './turn-record.ts';

/** What {@link runTurn} takes. */
export interface TurnOptions extends Partial<Answers> {
  /** What the user says; without it the turn resumes from `state`. */
  readonly text?: string;
  readonly conversationId: string;
  /** The `checkpoint` of the conversation's last turn. */
  readonly state?: agent.ConversationStateStructure;
  readonly modelId?: string;
  /** 64 hex digits. */
  readonly encryptionKey?: string;
  /** Further fields of the run request. */
  readonly extra?: Partial<agent.AgentRunRequest>;
  /** Cancels the turn by dropping its connection, as official clients do. */
  readonly signal?: AbortSignal;
  /** As official clients do by default. */
  readonly retries?: RetryPolicy;
  /** Called for each frame as it comes, with the stream it came on. */
  readonly onFrame?: (frame: ServerFrame, stream: TurnStream) => void;
  /** Called before a retry. */
  readonly onRetry?: (fault: unknown, delayMs: number) => void;
  /** Send appends as bytes instead of hex. */
  readonly binary?: boolean;
  /** Keep all frames in the result; true by default. */
  readonly keepFrames?: boolean;
  /** The id of the first attempt; random by default. */
  readonly requestId?: string;
  readonly stallMs?: number;
  readonly heartbeatMs?: number;
}

/** A turn that is over, one way or another. */
export interface TurnResult {
  readonly status: 'finished' | 'failed' | 'canceled';
  /** All that was shown, over all attempts: text on a client is never taken back. */
  readonly text: string;
  readonly thinking: string;
  /** The conversation as the newest checkpoint left it: the next turn's `state`. */
  readonly checkpoint: agent.ConversationStateStructure | undefined;
  readonly usage: Usage | undefined;
  /** All frames of all attempts, heartbeats included. */
  readonly frames: readonly ServerFrame[];
  readonly attempts: readonly Attempt[];
  /** Why the turn failed, or the signal's reason. */
  readonly error: unknown;
}

/** What a turn needs of the client that holds it. */
export interface TurnHost {
  readonly connection: Connection;
  readonly entropy: Entropy;
  readonly answers: Answers;
  token(): Promise<string>;
  /** Holds an attempt in another way than official clients do. */
  readonly attempt?: (connection: Connection, options: AttemptOptions) => Promise<Attempt>;
}

/** No time of its own: a policy says how long each wait is. */
const BY_POLICY = { firstMs: 0, maxMs: 0 };
const NEVER = Number.POSITIVE_INFINITY;

/**
 * Holds a whole turn, over as many attempts as it takes: a failed one is tried again under a new request id, from the newest
 * checkpoint if the attempt brought one. Never throws: see the result's status.
 */
export async function runTurn(host: TurnHost, options: TurnOptions): Promise<TurnResult> {
  const { connection, entropy, attempt: holdAttempt = runAttempt } = host;
  const { retries: policy = OFFICIAL_RETRIES, signal } = options;
  const originalRequestId = options.requestId ?? entropy.id();
  const retried: Record<RetryClass, number> = { server: 0, transport: 0 };
  const attempts: Attempt[] = [];
  let { state, text } = options;
  let fruitless = 0;
  let delayMs = NEVER;

  const over = (status: TurnResult['status'], error?: unknown) => summary(status, attempts, state, error);

  /** One attempt. @throws its fault, with `delayMs` set if another may follow, or what kept it from being held */
  async function holdOnce(): Promise<TurnResult> {
    delayMs = NEVER;
    const attempt = await holdAttempt(connection, {
      ...host.answers,
      ...definedOnly(options),
      keepFrames: options.keepFrames ?? true,
      requestId: attempts.length === 0 ? originalRequestId : entropy.id(),
      originalRequestId,
      token: await host.token(),
      firstMessage: runRequest({ ...options, state, text, runId: originalRequestId }),
    });
    attempts.push(attempt);
    const { fault, record } = attempt;
    const resumed = text === undefined;
    if (record.checkpoint) {
      state = record.checkpoint;
      text = undefined;
    }
    if (fault === undefined || record.terminal) return over('finished');
    if (signal?.aborted) return over('canceled', signal.reason);

    const kind = retryClass(fault);
    fruitless = resumed && !record.checkpoint ? fruitless + 1 : 0;
    const inVain = fruitless > 0 && fruitless >= policy.fruitlessResumes;
    if (kind && retried[kind] < policy.limits[kind] && !inVain) {
      delayMs = policy.delayMs(retried.server + retried.transport, entropy.random());
      retried[kind] += 1;
    }
    throw fault;
  }

  try {
    return await retry(holdOnce, {
      ...BY_POLICY,
      clock: connection.clock,
      worthRetrying: () => delayMs !== NEVER,
      onFailure: (fault) => options.onRetry?.(fault, delayMs),
      wait: (backoff) => backoff.wait(signal, delayMs),
    });
  } catch (error) {
    const waiting = delayMs !== NEVER;
    return over(waiting && signal?.aborted ? 'canceled' : 'failed', error);
  }
}

function summary(
  status: TurnResult['status'],
  attempts: readonly Attempt[],
  checkpoint: agent.ConversationStateStructure | undefined,
  error: unknown,
): TurnResult {
  return {
    status,
    text: attempts.map(({ record }) => record.text).join(''),
    thinking: attempts.map(({ record }) => record.thinking).join(''),
    checkpoint,
    usage: attempts.reduce<Usage | undefined>((sum, { record }) => sumUsage(sum, record.usage), undefined),
    frames: attempts.flatMap(({ frames }) => frames),
    attempts,
    error,
  };
}

/** Without members that are there but undefined, which would hide defaults behind them. */
function definedOnly<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}
