import { once } from 'node:events';
import http, { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { HttpSink } from './http-sink.ts';
import { writeStreamHead } from './stream-head.ts';

/** A response under way, and what its client gets. */
async function exchange(): Promise<{ response: ServerResponse; incoming: http.IncomingMessage }> {
  const server = createServer();
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const request = http.get({ port: (server.address() as AddressInfo).port, agent: false });
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  writeStreamHead(response, 'application/connect+proto', false);
  const [incoming] = (await once(request, 'response')) as [http.IncomingMessage];
  return { response, incoming };
}

test('what is written comes as one body, in order, whatever the sizes', async () => {
  const { response, incoming } = await exchange();
  const sink = new HttpSink(response);
  const body = buffer(incoming);
  const pieces = [1, 0, 5, 15, 16, 120, 1920, 70_000].map((size, index) => Buffer.alloc(size, 65 + index));
  for (const piece of pieces) sink.write(piece);
  expect(await sink.flushed()).toBe(true);
  await sink.end(false);
  expect((await body).equals(Buffer.concat(pieces))).toBe(true);
});

test('a client that does not read holds up the writer, until it reads', async () => {
  const { response, incoming } = await exchange();
  const sink = new HttpSink(response);
  const piece = Buffer.alloc(256 * 1024, 'x');
  let written = 0;
  let room: Promise<void> | undefined;
  for (; !room; written += piece.length) room = sink.write(piece);
  expect(written).toBeLessThan(64 * 1024 * 1024);
  const body = buffer(incoming);
  await room;
  await sink.end(false);
  expect((await body).length).toBe(written);
});

test('a client that goes away ends the wait', async () => {
  const { response, incoming } = await exchange();
  const sink = new HttpSink(response);
  let room: Promise<void> | undefined;
  while (!room) room = sink.write(Buffer.alloc(256 * 1024));
  incoming.on('error', () => {});
  incoming.destroy();
  await room;
  expect(sink.write(Buffer.alloc(10))).toBeUndefined();
  expect(await sink.flushed()).toBe(false);
});
