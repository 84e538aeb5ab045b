import { fromBinary } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { errorFromJson, errorToJson } from '@connectrpc/connect/protocol-connect';
import { aiserver, encodeEndStream, parseEndStream } from '@tandem/proto';
import { expect, test } from 'vitest';
import { TandemError } from './tandem-error.ts';
import {
  retryAfterSeconds,
  toConnectError,
  toConnectErrorJson,
  toEndStreamError,
  toErrorDetails,
} from './wire.ts';

const spent = new TandemError('budget_spent', { message: 'owner u1: 12.00 of 10.00', cause: new Error('c') });

test('a stream ends with code, text and binary details', () => {
  const { code, message, details } = toEndStreamError(spent);
  expect({ code, message }).toEqual({
    code: 'resource_exhausted',
    message: 'Your budget is spent. Ask your administrator to raise it.',
  });
  expect(details).toHaveLength(1);
  expect(details[0]?.type).toBe('aiserver.v1.ErrorDetails');
  const read = fromBinary(aiserver.ErrorDetailsSchema, details[0]?.value ?? new Uint8Array());
  expect(read).toEqual(toErrorDetails(spent));
  expect(read.isExpected).toBe(true);
});

test('the end of a stream takes it and gives it back', () => {
  const { metadata, ...read } = parseEndStream(
    encodeEndStream({ error: toEndStreamError(spent) }).subarray(5),
  );
  expect(read).toEqual(toEndStreamError(spent));
});

test('the JSON is what connect reads and writes', () => {
  const json = toConnectErrorJson(spent);
  expect(json.details[0]?.value).toMatch(/^[A-Za-z0-9+/]+$/);
  const read = errorFromJson(JSON.parse(JSON.stringify(json)), undefined, toConnectError('fallback'));
  expect(read.code).toBe(Code.ResourceExhausted);
  expect(read.findDetails(aiserver.ErrorDetailsSchema)).toEqual([toErrorDetails(spent)]);
  expect(errorToJson(toConnectError(spent), {})).toEqual(json);
});

test('a retry time becomes a header in whole seconds', () => {
  const busy = new TandemError('concurrency_limit', { retryAfterMs: 1200 });
  expect(toConnectError(busy).metadata.get('retry-after')).toBe('2');
  expect(toConnectError(spent).metadata.has('retry-after')).toBe(false);
  expect(retryAfterSeconds(0)).toBe('1');
});

test('nothing of an unexpected error, of a cause or of a log text reaches the wire', () => {
  const thrown = [
    new Error('planted'),
    'planted',
    new TandemError('provider_auth', { message: 'planted', cause: new Error('planted') }),
  ];
  for (const error of thrown) {
    const { details, ...rest } = toEndStreamError(error);
    const bytes = Buffer.concat(details.map(({ value }) => value)).toString('latin1');
    expect(
      JSON.stringify([rest, toConnectErrorJson(error), toConnectError(error).rawMessage]) + bytes,
    ).not.toContain('planted');
  }
  expect(toErrorDetails(new Error('planted')).isExpected).toBe(false);
});
