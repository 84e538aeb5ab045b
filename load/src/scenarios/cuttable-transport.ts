import type { HttpResponse, Transport } from '@tandem/client';

/** A transport whose open streams can be made to break, as when a network fails. */
export interface CuttableTransport extends Transport {
  /** Breaks all streams that are open now. @returns how many */
  cut(): number;
}

const STREAM = '/RunSSE';

/** Puts itself between a client and its transport. */
export function cuttable(inner: Transport): CuttableTransport {
  const open = new Set<AbortController>();
  return {
    async request(request) {
      if (!request.url.endsWith(STREAM)) return inner.request(request);
      const line = new AbortController();
      open.add(line);
      const signal = request.signal ? AbortSignal.any([request.signal, line.signal]) : line.signal;
      try {
        const response = await inner.request({ ...request, signal });
        return { ...response, header: (name) => response.header(name), body: follow(response, line, open) };
      } catch (error) {
        open.delete(line);
        throw error;
      }
    },
    cut() {
      const lines = [...open];
      open.clear();
      for (const line of lines) line.abort(new Error('the line is cut'));
      return lines.length;
    },
    close: () => inner.close(),
  };
}

async function* follow(
  { body }: HttpResponse,
  line: AbortController,
  open: Set<AbortController>,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* body;
    // A body that was dropped may merely end.
    line.signal.throwIfAborted();
  } finally {
    open.delete(line);
  }
}
