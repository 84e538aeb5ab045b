import fc from 'fast-check';
import { expect, test } from 'vitest';
import { watchDone } from './done-marker.ts';

/** Reads a response that arrives in these pieces; resolves with its text and whether the marker was seen. */
async function read(pieces: readonly string[]): Promise<{ text: string; seen: boolean }> {
  const body = ReadableStream.from(pieces.map((piece) => new TextEncoder().encode(piece)));
  const watch = watchDone(async () => new Response(body as ReadableStream<Uint8Array<ArrayBuffer>>));
  const { signal } = new AbortController();
  const text = await (await watch.fetch('http://x', { signal })).text();
  return { text, seen: watch.seen(signal) };
}

test.each([
  ['data: {"a":1}\n\ndata: [DONE]\n\n', true],
  ['data: {"a":1}\r\n\r\ndata:[DONE]', true],
  ['data: {"text":"data: [DONE]"}\n\n', false],
  ['data: {"a":1}\n\n', false],
  ['', false],
])('%j', async (text, seen) => {
  expect(await read([text])).toEqual({ text, seen });
});

test('finds the marker however the bytes are cut, and changes none', async () => {
  const whole = 'data: {"text":"häß"}\n\ndata: [DONE]\n\n';
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(whole.length), { maxLength: 8 }), async (cuts) => {
      const points = [0, ...cuts.sort((a, b) => a - b), whole.length];
      const pieces = points.slice(1).map((end, index) => whole.slice(points[index], end));
      expect(await read(pieces)).toEqual({ text: whole, seen: true });
    }),
  );
});

test('leaves errors as they are', async () => {
  const watch = watchDone(async () => new Response('data: [DONE]', { status: 500 }));
  const { signal } = new AbortController();
  expect((await watch.fetch('http://x', { signal })).status).toBe(500);
  expect(watch.seen(signal)).toBe(false);
});
