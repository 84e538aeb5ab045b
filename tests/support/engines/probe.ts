import { connect } from 'node:net';

const PROBE_MS = 500;

/**
 * Connects to a port of the loopback interface, writes `text` if there is any, and returns what comes back until
 * `isComplete` holds. Undefined: refused, closed or silent for half a second.
 */
export function ask(
  port: number,
  text: string,
  isComplete: (answer: string) => boolean,
): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  let answer = '';
  const socket = connect({ port, host: '127.0.0.1' }, () => {
    if (text !== '') socket.write(text);
  });
  socket.setTimeout(PROBE_MS, () => socket.destroy());
  socket.on('data', (chunk) => {
    answer += chunk.toString('utf8');
    if (isComplete(answer)) {
      resolve(answer);
      socket.destroy();
    }
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => resolve(undefined));
  return promise;
}
