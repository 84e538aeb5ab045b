import { backoffMs } from '@tandem/errors';
import { aiserver } from '@tandem/proto';
import { ConnectionError } from '../errors/client-error.ts';
import { ServerError } from '../errors/server-error.ts';

/** What kind of fault a retry answers; each kind has its own number of tries. */
export type RetryClass = 'server' | 'transport';

/** How often and how late a turn is tried again. */
export interface RetryPolicy {
  /** Retries at most, by class. */
  readonly limits: Readonly<Record<RetryClass, number>>;
  /** Resume attempts in a row that may bring no new checkpoint. */
  readonly fruitlessResumes: number;
  /** @param retry how many retries came before, from 0; @param random in [0, 1); @returns milliseconds */
  delayMs(retry: number, random: number): number;
}

/** What official clients do: 2, 4, 8, … seconds and a little more, a minute at most. */
export const OFFICIAL_RETRIES: RetryPolicy = {
  limits: { server: 3, transport: 10 },
  fruitlessResumes: 2,
  delayMs: (retry, random) => backoffMs({ firstMs: 2_000, maxMs: 60_000, jitter: 1 / 8 }, retry + 1, random),
};

/** The first failure is final. */
export const NO_RETRIES: RetryPolicy = {
  limits: { server: 0, transport: 0 },
  fruitlessResumes: 0,
  delayMs: () => 0,
};

const enums = aiserver.ErrorDetails_Error;

/** Faults that ask something of the user first: to sign in, upgrade, pay, wait, or read a message. */
const ACTION_REQUIRED: ReadonlySet<aiserver.ErrorDetails_Error> = new Set([
  enums.BAD_API_KEY,
  enums.NOT_LOGGED_IN,
  enums.INVALID_AUTH_ID,
  enums.NOT_HIGH_ENOUGH_PERMISSIONS,
  enums.FREE_USER_RATE_LIMIT_EXCEEDED,
  enums.PRO_USER_RATE_LIMIT_EXCEEDED,
  enums.FREE_USER_USAGE_LIMIT,
  enums.PRO_USER_USAGE_LIMIT,
  enums.AUTH_TOKEN_NOT_FOUND,
  enums.AUTH_TOKEN_EXPIRED,
  enums.AGENT_REQUIRES_LOGIN,
  enums.GENERIC_RATE_LIMIT_EXCEEDED,
  enums.PRO_USER_ONLY,
  enums.OUTDATED_CLIENT,
  enums.UNAUTHORIZED,
  enums.BAD_USER_API_KEY,
  enums.USAGE_PRICING_REQUIRED,
  enums.USAGE_PRICING_REQUIRED_CHANGEABLE,
  enums.GITHUB_NO_USER_CREDENTIALS,
  enums.GITHUB_USER_NO_ACCESS,
  enums.RATE_LIMITED,
  enums.RATE_LIMITED_CHANGEABLE,
]);

/**
 * The class under which official clients try a turn again after this fault; undefined: they do not.
 * `canceled` and `aborted` at the end of a stream count as a broken connection.
 */
export function retryClass(fault: unknown): RetryClass | undefined {
  if (fault instanceof ConnectionError) return 'transport';
  if (!(fault instanceof ServerError) || !fault.retryable) return undefined;
  const error = fault.details?.error;
  if (error !== undefined && ACTION_REQUIRED.has(error)) return undefined;
  if (error === enums.CUSTOM_MESSAGE && fault.details?.details?.isRetryable !== true) return undefined;
  const broken = fault.source === 'stream' && (fault.code === 'canceled' || fault.code === 'aborted');
  return broken ? 'transport' : 'server';
}
