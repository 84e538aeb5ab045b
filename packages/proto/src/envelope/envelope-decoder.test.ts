import { gzipSync } from 'node:zlib';
import { encodeEnvelope as connectEncode } from '@connectrpc/connect/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeEnvelope, FLAG_COMPRESSED, FLAG_END_STREAM } from './encode-envelope.ts';
import { type Envelope, EnvelopeDecoder } from './envelope-decoder.ts';
import type { EnvelopeError } from './envelope-error.ts';

const LIMIT = 1000;

/** What a decoder made of some chunks: the envelopes it gave, and the reason of the fault that ended it. */
function decode(chunks: Iterable<Uint8Array>, maxMessageBytes = LIMIT) {
  const decoder = new EnvelopeDecoder({ maxMessageBytes });
  const envelopes: Envelope[] = [];
  try {
    for (const chunk of chunks) for (const envelope of decoder.push(chunk)) envelopes.push(envelope);
    decoder.end();
    return { envelopes, fault: undefined };
  } catch (error) {
    return { envelopes, fault: (error as EnvelopeError).reason };
  }
}

function concat(parts: readonly Uint8Array[]) {
  return new Uint8Array(Buffer.concat(parts));
}

/** Cuts bytes at the given places (any numbers, taken modulo the length). */
function split(bytes: Uint8Array, cuts: readonly number[]) {
  const places = cuts.map((cut) => cut % (bytes.byteLength + 1)).sort((a, b) => a - b);
  return [0, ...places].map((from, i) => bytes.slice(from, places[i] ?? bytes.byteLength));
}

const frames = fc.array(fc.record({ payload: fc.uint8Array({ maxLength: 200 }), zip: fc.boolean() }), {
  maxLength: 8,
});
const cuts = fc.array(fc.nat(), { maxLength: 30 });

describe('any split of the stream', () => {
  test('gives the envelopes that the Connect library wrote, in order', () => {
    fc.assert(
      fc.property(frames, cuts, fc.boolean(), (sent, at, withEnd) => {
        const parts = sent.map(({ payload, zip }) =>
          zip ? connectEncode(FLAG_COMPRESSED, gzipSync(payload)) : connectEncode(0, payload),
        );
        if (withEnd) parts.push(connectEncode(FLAG_END_STREAM, new TextEncoder().encode('{}')));

        const { envelopes, fault } = decode(split(concat(parts), at));

        expect(fault).toBeUndefined();
        expect(envelopes.slice(0, sent.length).map(({ payload }) => new Uint8Array(payload))).toEqual(
          sent.map(({ payload }) => payload),
        );
        expect(envelopes.map(({ endStream }) => endStream)).toEqual([
          ...sent.map(() => false),
          ...(withEnd ? [true] : []),
        ]);
      }),
    );
  });

  test('gives the same envelopes and the same fault for any bytes', () => {
    const length = fc.constantFrom(0, 1, 5, LIMIT, LIMIT + 1);
    const header = fc.tuple(fc.integer({ min: 0, max: 4 }), length, fc.uint8Array({ maxLength: 10 }));
    const bytes = fc.array(header, { maxLength: 6 }).map((parts) =>
      concat(
        parts.map(([flags, announced, body]) => {
          const envelope = encodeEnvelope(body, { flags });
          new DataView(envelope.buffer).setUint32(1, announced);
          return envelope;
        }),
      ),
    );
    fc.assert(
      fc.property(bytes, cuts, (stream, at) => {
        expect(decode(split(stream, at))).toEqual(decode([stream]));
        expect(decode(Array.from(stream, (byte) => Uint8Array.of(byte)))).toEqual(decode([stream]));
      }),
    );
  });

  test('a large message, byte by byte', () => {
    const payload = new Uint8Array(150_000).map((_, i) => i);

    const { envelopes, fault } = decode(
      Array.from(encodeEnvelope(payload), (byte) => Uint8Array.of(byte)),
      payload.byteLength,
    );

    expect(fault).toBeUndefined();
    expect(envelopes.map((envelope) => Buffer.compare(envelope.payload, payload))).toEqual([0]);
  });
});

test('a payload that lies whole in a chunk is not copied', () => {
  const chunk = encodeEnvelope(new Uint8Array(10));

  const [envelope] = new EnvelopeDecoder({ maxMessageBytes: LIMIT }).push(chunk);

  expect(envelope?.payload.buffer).toBe(chunk.buffer);
});

test('what a caller left unread comes with the next push', () => {
  const decoder = new EnvelopeDecoder({ maxMessageBytes: LIMIT });
  for (const { payload } of decoder.push(concat([1, 2, 3].map((n) => encodeEnvelope(Uint8Array.of(n)))))) {
    expect(Array.from(payload)).toEqual([1]);
    break;
  }

  const rest = Array.from(decoder.push(encodeEnvelope(Uint8Array.of(4))), ({ payload }) => payload[0]);

  expect(rest).toEqual([2, 3, 4]);
});

describe('EndStream', () => {
  test('is reported with its flags, also when compressed', () => {
    const flags = FLAG_END_STREAM | FLAG_COMPRESSED;
    const decoder = new EnvelopeDecoder({ maxMessageBytes: LIMIT });
    expect(decoder.ended).toBe(false);

    const envelopes = Array.from(decoder.push(encodeEnvelope(gzipSync('{}'), { flags })));

    expect(envelopes.map(({ payload, ...rest }) => [Buffer.from(payload).toString(), rest])).toEqual([
      ['{}', { flags, endStream: true }],
    ]);
    expect(decoder.ended).toBe(true);
    expect(() => decoder.end()).not.toThrow();
  });

  test('nothing may follow it, but an empty chunk', () => {
    const end = encodeEnvelope(new Uint8Array(), { flags: FLAG_END_STREAM });

    expect(decode([end, new Uint8Array()]).fault).toBeUndefined();
    expect(decode([end, Uint8Array.of(0)]).fault).toBe('after_end');
    expect(decode([concat([end, end])])).toMatchObject({ envelopes: { length: 1 }, fault: 'after_end' });
  });
});

describe('limits', () => {
  test('a message may have exactly the limit, plain and decompressed', () => {
    const payload = new Uint8Array(LIMIT);

    expect(decode([encodeEnvelope(payload)]).fault).toBeUndefined();
    expect(decode([encodeEnvelope(gzipSync(payload), { flags: FLAG_COMPRESSED })]).fault).toBeUndefined();
  });

  test('a longer one is refused when its header is read', () => {
    expect(decode([encodeEnvelope(new Uint8Array(LIMIT + 1)).subarray(0, 5)]).fault).toBe('too_large');
    expect(decode([Uint8Array.of(0, 0xff, 0xff, 0xff, 0xff)]).fault).toBe('too_large');
  });

  test('a message that unfolds beyond the limit is refused', () => {
    const bomb = gzipSync(new Uint8Array(400_000));
    expect(bomb.byteLength).toBeLessThan(LIMIT);

    expect(decode([encodeEnvelope(bomb, { flags: FLAG_COMPRESSED })]).fault).toBe('too_large');
    const slightly = gzipSync(new Uint8Array(LIMIT + 1));
    expect(decode([encodeEnvelope(slightly, { flags: FLAG_COMPRESSED })]).fault).toBe('too_large');
  });
});

describe('faults', () => {
  const zipped = gzipSync('some text');

  test.each([
    ['no gzip at all', new TextEncoder().encode('plain text'), 'bad_gzip'],
    ['cut gzip', zipped.subarray(0, -4), 'bad_gzip'],
    ['nothing', new Uint8Array(), undefined],
  ])('compressed payload with %s', (_name, payload, fault) => {
    expect(decode([encodeEnvelope(payload, { flags: FLAG_COMPRESSED })]).fault).toBe(fault);
  });

  test('unknown flags', () => {
    expect(decode([encodeEnvelope(new Uint8Array(), { flags: 4 })]).fault).toBe('bad_flags');
  });

  test('a tail that is no whole envelope', () => {
    const envelope = encodeEnvelope(Uint8Array.of(1));
    for (const cut of [1, 4, 5]) expect(decode([envelope.subarray(0, cut)]).fault).toBe('truncated');
  });

  test('envelopes before the fault are given, and the fault stays', () => {
    const decoder = new EnvelopeDecoder({ maxMessageBytes: LIMIT });
    const good = encodeEnvelope(Uint8Array.of(1));
    const seen: Envelope[] = [];
    const read = (bytes: Uint8Array) => () => {
      for (const envelope of decoder.push(bytes)) seen.push(envelope);
    };

    expect(read(concat([good, encodeEnvelope(good, { flags: 8 })]))).toThrow(/flags 8/);
    expect(read(good)).toThrow(/flags 8/);
    expect(() => decoder.end()).toThrow(/flags 8/);
    expect(seen).toHaveLength(1);
  });
});
