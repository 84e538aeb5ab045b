import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { encodeEnvelope as connectEncode } from '@connectrpc/connect/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ENVELOPE_HEADER_BYTES,
  encodeEnvelope,
  encodeGzipEnvelope,
  encodeGzipEnvelopeAsync,
  FLAG_COMPRESSED,
  FLAG_END_STREAM,
} from './encode-envelope.ts';

test('writes the bytes that the Connect library writes', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 3 }), fc.uint8Array({ maxLength: 1000 }), (flags, payload) => {
      expect(encodeEnvelope(payload, { flags })).toEqual(connectEncode(flags, payload));
    }),
  );
});

test('the length is big endian', () => {
  const envelope = encodeEnvelope(new Uint8Array(0x010203));

  expect(Array.from(envelope.subarray(0, ENVELOPE_HEADER_BYTES))).toEqual([0, 0, 1, 2, 3]);
});

describe.each([
  ['sync', async (...args: Parameters<typeof encodeGzipEnvelope>) => encodeGzipEnvelope(...args)],
  ['async', encodeGzipEnvelopeAsync],
])('gzip (%s)', (_name, encode) => {
  test('compresses from the given size on', async () => {
    const below = await encode(new Uint8Array(1023), { minBytes: 1024 });
    const at = await encode(new Uint8Array(1024), { minBytes: 1024 });

    expect(below).toEqual(encodeEnvelope(new Uint8Array(1023)));
    expect(at[0]).toBe(FLAG_COMPRESSED);
    expect(new Uint8Array(gunzipSync(at.subarray(ENVELOPE_HEADER_BYTES)))).toEqual(new Uint8Array(1024));
  });

  test('keeps the other flags', async () => {
    const payload = new Uint8Array(100);

    expect((await encode(payload, { minBytes: 0, flags: FLAG_END_STREAM }))[0]).toBe(3);
    expect((await encode(payload, { minBytes: 101, flags: FLAG_END_STREAM }))[0]).toBe(2);
  });

  test('leaves plain what gzip would not make smaller', async () => {
    const noise = new Uint8Array(randomBytes(2000));

    expect(await encode(noise, { minBytes: 0 })).toEqual(encodeEnvelope(noise));
  });
});
