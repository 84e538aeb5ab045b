// The measure of a relay: node's own HTTP server, writing the same frames with nothing behind it, at the pace that it is
// told: left to itself it would run into its clients' slowness, and many writes would become one.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Order {
  readonly frameBytes: number;
  /** Frames a write. */
  readonly frames: number;
  /** Writes a stream. */
  readonly writes: number;
  /** Writes a second, of all streams together. */
  readonly pace: number;
}

const streams = new Set<ServerResponse>();

const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, {
    'content-type': 'application/connect+proto',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  response.flushHeaders();
  streams.add(response);
  response.once('close', () => streams.delete(response));
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, () => {
  console.log(`listens on ${(server.address() as AddressInfo).port}`);
});

process.on('message', (order: Order | Record<string, never>) => {
  if ('writes' in order) write(order as Order);
});
process.once('SIGTERM', () => process.exit());

/** Goes around the streams, a write each; once a millisecond as many as are due by then. */
function write({ frameBytes, frames, writes, pace }: Order): void {
  const bytes = new Uint8Array(frameBytes * frames);
  const targets = [...streams];
  const total = targets.length * writes;
  const began = performance.now();
  let done = 0;
  const timer = setInterval(() => {
    const due = Math.min(total, Math.ceil(((performance.now() - began) / 1000) * pace));
    for (; done < due; done += 1) targets[done % targets.length]?.write(bytes);
    if (done < total) return;
    clearInterval(timer);
    process.send?.('written');
  }, 1);
}
