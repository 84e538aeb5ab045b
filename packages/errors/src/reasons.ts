import { aiserver } from '@tandem/proto';
import type { ConnectCode } from './connect-code.ts';

const enums = aiserver.ErrorDetails_Error;

/** What is known of a fault by its reason alone. */
export interface ReasonRow {
  /** The Connect code that it has on the wire. */
  readonly code: ConnectCode;
  /** Whether the same request, sent again by itself a little later, may go well. */
  readonly retryable: boolean;
  /** The wire's own name of the fault; clients choose what they offer a user by it. */
  readonly wireError: aiserver.ErrorDetails_Error;
  /** One sentence for a person: what happened. */
  readonly title: string;
  /** One sentence for a person: what to do about it; may be empty. Clients show "title detail". */
  readonly detail: string;
}

const AGAIN = 'Please try again in a moment.';

/**
 * Every fault that Tandem knows, and how clients are told.
 *
 * Clients decide by code, by `is_retryable` and by the wire's error number whether they send a request again:
 *
 * - A code alone rarely stops them: of all codes only `unauthenticated` and `permission_denied` do, so that what
 *   a retry can't help needs `retryable: false`, which stops them only beside an error number.
 * - `canceled` and `aborted` count as a broken transport and are retried up to ten times; no row uses them,
 *   a user's own cancel least of all.
 * - The numbers for logging in, upgrading, paying, rate limits and custom messages stop them whatever the rest
 *   says, so no retryable row uses one.
 */
export const REASONS = {
  bad_key: row(
    'unauthenticated',
    false,
    enums.BAD_API_KEY,
    'The API key is not valid.',
    'Check the key, or ask for a new one.',
  ),
  token_expired: row(
    'unauthenticated',
    false,
    enums.AUTH_TOKEN_EXPIRED,
    'The access token has expired.',
    'Sign in again.',
  ),
  permission: row(
    'permission_denied',
    false,
    enums.NOT_HIGH_ENOUGH_PERMISSIONS,
    'You may not do this.',
    'Ask your administrator for access.',
  ),

  bad_request: row('invalid_argument', false, enums.BAD_REQUEST, 'The request is not valid.', ''),
  malformed_message: row(
    'invalid_argument',
    false,
    enums.BAD_REQUEST,
    'The request cannot be decoded.',
    'Your client may be too old or too new.',
  ),
  model_missing: row(
    'invalid_argument',
    false,
    enums.BAD_MODEL_NAME,
    'The request names no model.',
    'Choose a model.',
  ),
  message_too_large: row(
    'resource_exhausted',
    false,
    enums.RESOURCE_EXHAUSTED,
    'The message is too large.',
    'Send less at once: smaller files, fewer images.',
  ),
  too_many_bytes: row(
    'resource_exhausted',
    true,
    enums.RESOURCE_EXHAUSTED,
    'The server is receiving too much data.',
    AGAIN,
  ),
  storage_full: row(
    'resource_exhausted',
    true,
    enums.RESOURCE_EXHAUSTED,
    "The server's storage is full.",
    'Try again later, or tell your administrator.',
  ),
  unsupported: row('unimplemented', false, enums.BAD_REQUEST, 'This server does not support that.', ''),

  request_not_found: row(
    'not_found',
    false,
    enums.NOT_FOUND,
    'The request is not known, or has ended.',
    'Send your message again.',
  ),
  append_gap: row(
    'unavailable',
    true,
    enums.NETWORK_ERROR,
    "Some of the client's messages did not arrive.",
    AGAIN,
  ),
  upload_too_slow: row(
    'unavailable',
    true,
    enums.NETWORK_ERROR,
    'The request did not arrive in time.',
    'Check the connection, and try again.',
  ),
  client_gone: row(
    'failed_precondition',
    false,
    enums.USER_ABORTED_REQUEST,
    'The client disconnected, so the turn was stopped.',
    'Send your message again to go on.',
  ),
  canceled_by_user: row(
    'failed_precondition',
    false,
    enums.USER_ABORTED_REQUEST,
    'The turn was stopped.',
    '',
  ),
  superseded: row(
    'failed_precondition',
    false,
    enums.USER_ABORTED_REQUEST,
    'A newer message took the place of this turn.',
    '',
  ),

  model_not_found: row(
    'not_found',
    false,
    enums.BAD_MODEL_NAME,
    'The model is not known to this server.',
    'Choose another model.',
  ),
  model_not_allowed: row(
    'permission_denied',
    false,
    enums.MODEL_BLOCKED,
    'You may not use this model.',
    'Choose another model.',
  ),
  provider_auth: row(
    'failed_precondition',
    false,
    enums.PROVIDER_ERROR,
    "The model provider refused the server's credentials.",
    'Tell your administrator.',
  ),
  provider_rate_limited: row(
    'resource_exhausted',
    true,
    enums.PROVIDER_ERROR,
    'The model provider limits the rate of requests.',
    AGAIN,
  ),
  provider_unavailable: row(
    'unavailable',
    true,
    enums.PROVIDER_ERROR,
    'The model provider is not available.',
    AGAIN,
  ),
  provider_timeout: row(
    'deadline_exceeded',
    true,
    enums.PROVIDER_ERROR,
    'The model provider took too long to answer.',
    AGAIN,
  ),
  provider_interrupted: row(
    'unavailable',
    true,
    enums.PROVIDER_ERROR,
    "The model's answer broke off.",
    AGAIN,
  ),
  provider_bad_request: row(
    'failed_precondition',
    false,
    enums.PROVIDER_ERROR,
    'The model provider refused the request.',
    'Try another model, or start a new conversation.',
  ),
  context_too_long: row(
    'failed_precondition',
    false,
    enums.CONVERSATION_TOO_LONG,
    'The conversation is too long for the model.',
    'Start a new conversation, or choose a model with a larger context.',
  ),
  output_cut_off: row(
    'failed_precondition',
    false,
    enums.MAX_TOKENS,
    'The model kept reaching its output limit.',
    'Ask for less at once.',
  ),
  content_filtered: row(
    'failed_precondition',
    false,
    enums.PROVIDER_ERROR,
    "The model's provider stopped the answer by its content filter.",
    'Put the request differently, or try another model.',
  ),
  model_repeats: row(
    'failed_precondition',
    false,
    enums.PROVIDER_ERROR,
    'The model kept making the same tool call.',
    'Put the request differently, or try another model.',
  ),

  budget_spent: row(
    'resource_exhausted',
    false,
    enums.RESOURCE_EXHAUSTED,
    'Your budget is spent.',
    'Ask your administrator to raise it.',
  ),
  concurrency_limit: row(
    'resource_exhausted',
    true,
    enums.RESOURCE_EXHAUSTED,
    'Too many turns run at once.',
    AGAIN,
  ),
  turn_limit: row(
    'resource_exhausted',
    false,
    enums.RESOURCE_EXHAUSTED,
    'You already run as many turns as you may at a time.',
    'Wait until one of them has ended.',
  ),
  run_too_long: row(
    'deadline_exceeded',
    false,
    enums.TIMEOUT,
    'The turn ran for longer than this server allows.',
    'Send a new message to go on.',
  ),
  takeover_limit: row(
    'internal',
    false,
    enums.INTERNAL,
    'The turn failed repeatedly and was stopped.',
    'Send a new message to go on.',
  ),

  blob_rejected: row(
    'failed_precondition',
    false,
    enums.INTERNAL,
    'The client could not store the conversation.',
    'Check the free space on your disk.',
  ),
  blob_missing: row(
    'failed_precondition',
    false,
    enums.NOT_FOUND,
    'A part of the conversation is missing on the client.',
    'Start a new conversation.',
  ),
  journal_lost: row('data_loss', true, enums.INTERNAL, 'The server has lost the record of this turn.', AGAIN),
  cluster_unavailable: row('unavailable', true, enums.INTERNAL, 'The server is not available.', AGAIN),
  draining: row('unavailable', true, enums.INTERNAL, 'The server is restarting.', AGAIN),
  internal: row('internal', true, enums.INTERNAL, 'Something went wrong on the server.', AGAIN),
} as const satisfies Record<string, ReasonRow>;

/** The stable name of a fault: a bounded set, fit for a metric's label. */
export type ErrorReason = keyof typeof REASONS;

/** All reasons, for tables and for metrics that declare their labels. */
export const ERROR_REASONS = Object.freeze(Object.keys(REASONS)) as readonly ErrorReason[];

function row(
  code: ConnectCode,
  retryable: boolean,
  wireError: aiserver.ErrorDetails_Error,
  title: string,
  detail: string,
): ReasonRow {
  return Object.freeze({ code, retryable, wireError, title, detail });
}
