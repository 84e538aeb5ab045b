import { expect, test } from 'vitest';
import { ChunkCounter } from './chunk-counter.ts';

const RESPONSE = Buffer.from(
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n10\r\n0123456789abcdef\r\n1\r\n\n\r\n',
);

test.each([1, 2, 3, 7, 1000])('counts what chunks hold, however they come (%i bytes at a time)', (step) => {
  const counter = new ChunkCounter();
  for (let at = 0; at < RESPONSE.length; at += step) counter.push(RESPONSE.subarray(at, at + step));
  expect(counter).toMatchObject({ status: 200, bodyBytes: 5 + 16 + 1 });
});
