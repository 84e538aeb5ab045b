import { connect } from 'node:net';
import { streamCall } from '@tandem/client/wire';
import { ChunkCounter } from './chunk-counter.ts';
import { rawRequest } from './raw-request.ts';

/** A client of one stream that costs as little as a client can: a socket, and a count of the body's bytes. */
export interface StreamSocket {
  /** Bytes of the body so far. */
  bytes(): number;
  close(): void;
}

/** Opens a stream on a server, and resolves once its head has come. */
async function openStream(
  port: number,
  options: { requestId: string; apiKey: string; onBytes?: (count: number) => void },
): Promise<StreamSocket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const counter = new ChunkCounter();
  const { onBytes } = options;
  const opened = new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the stream was refused')));
    socket.on('data', (data: Buffer) => {
      const before = counter.bodyBytes;
      counter.push(data);
      if (counter.status !== undefined && counter.status !== 200)
        reject(new Error(`HTTP ${counter.status} for a stream`));
      if (counter.headSeen) resolve();
      if (counter.bodyBytes > before) onBytes?.(counter.bodyBytes - before);
    });
  });
  const { requestId, apiKey: token } = options;
  socket.write(rawRequest(streamCall({ token, requestId, originalRequestId: requestId })));
  await opened;
  socket.on('error', () => {});
  return { bytes: () => counter.bodyBytes, close: () => socket.destroy() };
}

/** Opens many streams, some at a time. */
export async function openStreams(
  port: number,
  requestIds: readonly string[],
  options: { apiKey: string; onBytes?: (count: number) => void },
): Promise<StreamSocket[]> {
  const streams: StreamSocket[] = [];
  const AT_ONCE = 50;
  for (let from = 0; from < requestIds.length; from += AT_ONCE) {
    const some = requestIds.slice(from, from + AT_ONCE);
    streams.push(
      ...(await Promise.all(some.map((requestId) => openStream(port, { ...options, requestId })))),
    );
  }
  return streams;
}
