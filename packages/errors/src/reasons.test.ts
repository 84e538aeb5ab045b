import { aiserver } from '@tandem/proto';
import { describe, expect, it, test } from 'vitest';
import { ERROR_REASONS, REASONS, TandemError, toConnectErrorJson, toErrorDetails } from './index.ts';

const enums = aiserver.ErrorDetails_Error;

/** Error numbers at which clients give up whatever else is said: login, upgrade, payment, limits, messages. */
const STOPPING: ReadonlySet<number> = new Set([
  1, 2, 3, 7, 8, 9, 10, 11, 12, 18, 22, 23, 29, 30, 38, 42, 44, 45, 46, 47, 50, 51,
]);

/** What clients do by the code alone: they stop at two codes, and take two others for a broken transport. */
const STOPPING_CODES = ['unauthenticated', 'permission_denied'];
const TRANSPORT_CODES = ['canceled', 'aborted'];

describe.each(ERROR_REASONS)('%s', (reason) => {
  const row = REASONS[reason];

  it('has a stable name, a title that is a sentence, and an error number', () => {
    expect(reason).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(row.title).toMatch(/^[A-Z].*\.$/);
    expect(row.detail).toMatch(/^$|^[A-Z].*\.$/);
    expect(enums[row.wireError]).toBeTypeOf('string');
    expect(row.wireError).not.toBe(enums.UNSPECIFIED);
  });

  it('makes an error that says what the table says', () => {
    const error = new TandemError(reason);
    expect(error).toMatchObject({ reason, code: row.code, retryable: row.retryable, title: row.title });
    expect(toConnectErrorJson(error)).toMatchObject({ code: row.code, message: error.publicMessage });
    const details = toErrorDetails(error);
    expect(details.error).toBe(row.wireError);
    expect(details.details).toMatchObject({
      title: row.title,
      detail: row.detail,
      isRetryable: row.retryable,
    });
  });

  it('is retried by clients exactly when that may help', () => {
    const { error, details } = toErrorDetails(new TandemError(reason));
    const stops =
      STOPPING_CODES.includes(row.code) ||
      STOPPING.has(error) ||
      (details?.isRetryable === false && error !== enums.UNSPECIFIED);
    expect(stops).toBe(!row.retryable);
  });

  it('is never taken for a broken transport', () => {
    expect(TRANSPORT_CODES).not.toContain(row.code);
  });
});

test('the codes that other parts rely on', () => {
  const codes = Object.fromEntries(ERROR_REASONS.map((reason) => [reason, REASONS[reason].code]));
  expect(codes).toMatchObject({
    bad_key: 'unauthenticated',
    token_expired: 'unauthenticated',
    permission: 'permission_denied',
    bad_request: 'invalid_argument',
    message_too_large: 'resource_exhausted',
    too_many_bytes: 'resource_exhausted',
    storage_full: 'resource_exhausted',
    request_not_found: 'not_found',
    cluster_unavailable: 'unavailable',
    unsupported: 'unimplemented',
    internal: 'internal',
  });
});

test.each([
  'bad_key',
  'bad_request',
  'request_not_found',
  'model_not_found',
  'provider_auth',
  'provider_bad_request',
  'budget_spent',
  'superseded',
  'canceled_by_user',
] as const)('%s is not worth a retry', (reason) => {
  expect(REASONS[reason].retryable).toBe(false);
});

test.each([
  'too_many_bytes',
  'provider_unavailable',
  'provider_rate_limited',
  'provider_interrupted',
  'cluster_unavailable',
  'draining',
] as const)('%s is worth a retry', (reason) => {
  expect(REASONS[reason].retryable).toBe(true);
});
