import { create, toBinary } from '@bufbuild/protobuf';
import { aiserver } from '@tandem/proto';
import { describe, expect, test } from 'vitest';
import { ConnectionError } from '../errors/client-error.ts';
import { type ErrorSource, ServerError } from '../errors/server-error.ts';
import { OFFICIAL_RETRIES, retryClass } from './retry-policy.ts';

const enums = aiserver.ErrorDetails_Error;

function serverError(
  code: string,
  options: { source?: ErrorSource; error?: number; isRetryable?: boolean } = {},
) {
  const { source = 'stream', error, isRetryable } = options;
  const schema = aiserver.ErrorDetailsSchema;
  const value = toBinary(schema, create(schema, { error, details: { title: 'No.', isRetryable } }));
  return new ServerError({
    source,
    code,
    details: error === undefined ? [] : [{ type: schema.typeName, value }],
  });
}

describe('what is tried again', () => {
  test.each([
    'unavailable',
    'internal',
    'unknown',
    'deadline_exceeded',
    'resource_exhausted',
    'invalid_argument',
    'failed_precondition',
  ])('%s: as a fault of the server', (code) => {
    expect(retryClass(serverError(code))).toBe('server');
    expect(retryClass(serverError(code, { error: enums.INTERNAL, isRetryable: false }))).toBeUndefined();
  });

  test.each(['canceled', 'aborted'])('%s: as a broken connection', (code) => {
    expect(retryClass(serverError(code))).toBe('transport');
    expect(retryClass(serverError(code, { source: 'append' }))).toBe('server');
    expect(
      retryClass(serverError(code, { error: enums.USER_ABORTED_REQUEST, isRetryable: false })),
    ).toBeUndefined();
  });

  test('a broken connection, but nothing unexpected', () => {
    expect(retryClass(new ConnectionError('stalled', 'slow'))).toBe('transport');
    expect(retryClass(new TypeError('bug'))).toBeUndefined();
  });

  test.each(['unauthenticated', 'permission_denied'])('%s: never', (code) => {
    expect(retryClass(serverError(code, { error: enums.INTERNAL, isRetryable: true }))).toBeUndefined();
  });

  test('what asks something of the user: never; a custom message only when it says so', () => {
    expect(
      retryClass(serverError('resource_exhausted', { error: enums.RATE_LIMITED, isRetryable: true })),
    ).toBeUndefined();
    expect(retryClass(serverError('internal', { error: enums.CUSTOM_MESSAGE }))).toBeUndefined();
    expect(retryClass(serverError('internal', { error: enums.CUSTOM_MESSAGE, isRetryable: true }))).toBe(
      'server',
    );
  });
});

test('delays double from 2 s, a minute at most', () => {
  const delays = Array.from({ length: 7 }, (_, retry) => OFFICIAL_RETRIES.delayMs(retry, 0) / 1000);
  expect(delays).toEqual([2, 4, 8, 16, 32, 60, 60]);
  expect(OFFICIAL_RETRIES.delayMs(0, 0.999)).toBeLessThan(2_300);
});
