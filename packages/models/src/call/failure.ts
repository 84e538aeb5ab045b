import { AISDKError, APICallError } from '@ai-sdk/provider';
import { type ErrorReason, TandemError, type TandemErrorOptions } from '@tandem/errors';

/** Why a try failed before the first part of an answer, and what may still help. */
export class ProviderFailure extends TandemError {
  override name = 'ProviderFailure';
  /** Whether the same deployment may answer a moment later. */
  readonly again: boolean;
  /** Whether another deployment of the model may answer. */
  readonly elsewhere: boolean;

  constructor(
    reason: ErrorReason,
    help: { again: boolean; elsewhere: boolean },
    options: TandemErrorOptions,
  ) {
    super(reason, options);
    this.again = help.again;
    this.elsewhere = help.elsewhere;
  }
}

const PASSES = { again: true, elsewhere: true };
const STAYS_HERE = { again: false, elsewhere: true };
const STAYS = { again: false, elsewhere: false };

/** Which time-out ended a try. */
export function timedOut(
  deployment: string,
  what: 'the first part' | 'the next part',
  ms: number,
): ProviderFailure {
  return new ProviderFailure('provider_timeout', STAYS_HERE, {
    message: `${deployment}: ${what} of the answer did not come within ${ms} ms`,
  });
}

/** A stream that ended before it began. */
export function emptyAnswer(deployment: string): ProviderFailure {
  return new ProviderFailure('provider_interrupted', PASSES, {
    message: `${deployment}: the stream ended before the answer began`,
  });
}

/**
 * Names what a provider or the way to it did. Nothing of what the provider wrote is kept but its short error codes: its
 * texts may quote prompts and keys, and the SDK's errors hold whole requests.
 */
export function toFailure(error: unknown, deployment: string, now: number): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  if (TandemError.isInstance(error)) {
    return new ProviderFailure(error.reason, STAYS_HERE, { message: `${deployment}: ${error.message}` });
  }
  if (APICallError.isInstance(error)) {
    if (error.statusCode === undefined) return networkFailure(error, deployment);
    const wait = retryAfterMs(error.responseHeaders ?? {}, now);
    return byStatus(error.statusCode, payloadOf(error.data ?? error.responseBody), deployment, wait);
  }
  if (AISDKError.isInstance(error)) {
    // What the SDK cannot express or understand.
    return new ProviderFailure('provider_bad_request', STAYS, { message: `${deployment}: ${error.name}` });
  }
  const payload = payloadOf(error);
  if (payload) return byStatus(statusOf(payload, error), payload, deployment, undefined);
  return networkFailure(error, deployment);
}

interface ErrorPayload {
  readonly message: string;
  /** Short words of the provider, joined; fit for a log. */
  readonly codes: string;
}

function byStatus(
  status: number,
  payload: ErrorPayload | undefined,
  deployment: string,
  wait: number | undefined,
): ProviderFailure {
  const codes = payload?.codes ?? '';
  const message = `${deployment}: HTTP ${status}${codes && ` ${codes}`}`;
  const options = { message, ...(wait === undefined ? {} : { retryAfterMs: wait }) };
  if (status === 413 || ((status === 400 || status === 422) && payload && isTooLong(payload))) {
    return new ProviderFailure('context_too_long', STAYS, options);
  }
  if (status === 402 || /insufficient_quota|billing/.test(codes)) {
    const title = 'The account at the model provider has no credit left.';
    return new ProviderFailure('provider_auth', STAYS_HERE, { ...options, title });
  }
  if (status === 401 || status === 403 || /API_KEY_INVALID/.test(codes))
    return new ProviderFailure('provider_auth', STAYS_HERE, options);
  if (status === 404) {
    const title = 'The model provider does not know the model.';
    return new ProviderFailure('model_not_found', STAYS_HERE, { ...options, title });
  }
  if (status === 429) return new ProviderFailure('provider_rate_limited', PASSES, options);
  if (status === 408 || status === 504) return new ProviderFailure('provider_timeout', PASSES, options);
  if ([409, 424, 425, 499].includes(status) || status >= 500 || status < 400) {
    return new ProviderFailure('provider_unavailable', PASSES, options);
  }
  return new ProviderFailure('provider_bad_request', STAYS, options);
}

const TOO_LONG =
  /context.?(length|window)|maximum context|(prompt|input|request) is too long|too many (input |prompt )?tokens|token limit|token count .*exceeds|reduce the length/i;

function isTooLong({ codes, message }: ErrorPayload): boolean {
  return /context_length_exceeded|request_too_large/.test(codes) || TOO_LONG.test(message);
}

/** Reads `{error: {message, type, code}}`, or Google's with `status` and `details`, as an object or JSON, or its inner part. */
function payloadOf(value: unknown): ErrorPayload | undefined {
  const outer = typeof value === 'string' ? parse(value) : value;
  if (typeof outer !== 'object' || outer === null || outer instanceof Error) return undefined;
  const { error: inner = outer } = outer as { error?: unknown };
  if (typeof inner === 'string') return { message: inner, codes: '' };
  const { message, type, code, status, details } = inner as Record<string, unknown>;
  const reasons = Array.isArray(details) ? details.map((detail) => detail?.reason) : [];
  const codes = [type, code, status, ...reasons].filter(
    (word) => typeof word === 'string' && /^[a-z][a-z0-9_.-]{0,63}$/i.test(word),
  );
  return { message: typeof message === 'string' ? message : '', codes: [...new Set(codes)].join(' ') };
}

/** The status that an error within a stream stands for. */
function statusOf({ codes }: ErrorPayload, error: unknown): number {
  const { statusCode, code } = error as { statusCode?: unknown; code?: unknown };
  for (const status of [statusCode, Number(code)]) {
    if (typeof status === 'number' && status >= 400 && status < 600) return status;
  }
  if (/rate_limit/.test(codes)) return 429;
  if (/auth|permission/.test(codes)) return 401;
  if (/invalid_request|context_length/.test(codes)) return 400;
  return 500;
}

function networkFailure(error: unknown, deployment: string): ProviderFailure {
  const code = networkCode(error);
  const reason = code && /TIMEOUT|TIMEDOUT/.test(code) ? 'provider_timeout' : 'provider_unavailable';
  return new ProviderFailure(reason, PASSES, {
    message: `${deployment}: no connection${code && ` (${code})`}`,
  });
}

function networkCode(error: unknown): string {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    const { code } = at as { code?: unknown };
    if (typeof code === 'string' && /^[A-Z_]{3,40}$/.test(code)) return code;
  }
  return '';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * How long a provider asks to wait, in milliseconds: `retry-after-ms`, else `retry-after` in seconds or as a date
 * (RFC 9110, 10.2.3). Undefined when it does not ask, or unreadably.
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const exact = Number.parseFloat(headers['retry-after-ms'] ?? '');
  if (exact >= 0) return exact;
  const text = headers['retry-after']?.trim();
  if (!text) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
