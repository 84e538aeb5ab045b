import { create, toBinary } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { endStreamToJson } from '@connectrpc/connect/protocol-connect';
import { expect, test } from 'vitest';
import { aiserver } from '../index.ts';
import { ENVELOPE_HEADER_BYTES, FLAG_END_STREAM } from './encode-envelope.ts';
import { encodeEndStream, parseEndStream } from './end-stream.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const payloadOf = (envelope: Uint8Array) => envelope.subarray(ENVELOPE_HEADER_BYTES);

test('a good end is an empty object with the EndStream flag', () => {
  const envelope = encodeEndStream();

  expect(envelope[0]).toBe(FLAG_END_STREAM);
  expect(new TextDecoder().decode(payloadOf(envelope))).toBe('{}');
  expect(parseEndStream(payloadOf(envelope))).toEqual({ details: [], metadata: {} });
});

test('an error comes back as it was written', () => {
  const error = {
    code: 'unavailable',
    message: 'later, please',
    details: [
      { type: 'aiserver.v1.ErrorDetails', value: new Uint8Array([1, 2, 3, 255]) },
      { type: 'empty', value: new Uint8Array() },
    ],
  };

  const parsed = parseEndStream(payloadOf(encodeEndStream({ error, metadata: { a: ['1', '2'] } })));

  expect(parsed).toEqual({ ...error, metadata: { a: ['1', '2'] } });
});

test('details are base64 without padding', () => {
  const error = { code: 'internal', details: [{ type: 't', value: new Uint8Array([0xff]) }] };

  const text = new TextDecoder().decode(payloadOf(encodeEndStream({ error })));

  expect(JSON.parse(text)).toEqual({ error: { code: 'internal', details: [{ type: 't', value: '/w' }] } });
});

test('what the Connect library writes is read', () => {
  const desc = aiserver.ErrorDetailsSchema;
  const value = create(desc, { details: { title: 'No', detail: 'way' } });
  const error = new ConnectError('denied', Code.PermissionDenied, undefined, [{ desc, value }]);

  const parsed = parseEndStream(
    bytes(JSON.stringify(endStreamToJson(new Headers({ k: 'v' }), error, undefined))),
  );

  expect(parsed).toEqual({
    code: 'permission_denied',
    message: 'denied',
    details: [{ type: 'aiserver.v1.ErrorDetails', value: toBinary(desc, value) }],
    metadata: { k: ['v'] },
  });
});

test.each([
  ['{"error":{}}', 'unknown'],
  ['{"error":{"code":5}}', 'unknown'],
  ['{"error":null,"metadata":null}', undefined],
  ['{"error":{"code":"aborted","details":[1,null,{"type":"t"}]},"more":1}', 'aborted'],
])('tolerates %s', (text, code) => {
  const parsed = parseEndStream(bytes(text));

  expect(parsed.code).toBe(code);
  expect(parsed.details).toEqual([]);
});

test.each(['', 'null', '[]', '"{}"', '{"error":1}', '{"metadata":[]}', '{', '\u{fffd}{}'])(
  'refuses %j',
  (text) => {
    expect(() => parseEndStream(bytes(text))).toThrow(expect.objectContaining({ reason: 'bad_end_stream' }));
  },
);

test('refuses what is not UTF-8', () => {
  expect(() => parseEndStream(new Uint8Array([0x22, 0xff, 0x22]))).toThrow(
    expect.objectContaining({ reason: 'bad_end_stream' }),
  );
});
