import type { Socket } from 'node:net';

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
/** No request of HTTP/1.1 begins like this. */
const TELLING_BYTES = 4;

/**
 * Waits for a connection's first bytes, puts them back, and tells which version of HTTP they are. A connection that
 * says too little for too long, or ends, is closed.
 */
export function peekProtocol(
  socket: Socket,
  withinMs: number,
  found: (protocol: 'http1' | 'h2') => void,
): void {
  let seen: Buffer = Buffer.alloc(0);
  const timer = setTimeout(() => socket.destroy(), withinMs);
  const stop = () => {
    clearTimeout(timer);
    socket.off('readable', onReadable);
    socket.off('end', onEnd);
    socket.off('close', stop);
  };
  const onEnd = () => {
    stop();
    socket.destroy();
  };
  const onReadable = () => {
    for (let chunk: Buffer | null = socket.read(); chunk; chunk = socket.read()) {
      seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk]);
    }
    if (seen.length === 0) return;
    const length = Math.min(seen.length, TELLING_BYTES);
    const isPreface = seen.compare(PREFACE, 0, length, 0, length) === 0;
    if (isPreface && length < TELLING_BYTES) return;
    stop();
    socket.unshift(seen);
    found(isPreface ? 'h2' : 'http1');
  };
  socket.on('readable', onReadable);
  socket.on('end', onEnd);
  socket.on('close', stop);
}
