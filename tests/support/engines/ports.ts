import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// Below the range from which systems take the ports of outgoing connections: a port that is free while an engine
// restarts stays free.
const LOWEST = 20_000;
const HIGHEST = 32_000;

/** A TCP port of the loopback interface on which nobody listens now. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const server = createServer();
  server.once('error', () => resolve(false));
  server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  return promise;
}
