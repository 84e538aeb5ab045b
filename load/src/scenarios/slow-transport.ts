import type { Clock, HttpResponse, Transport } from '@tandem/client';

const STREAM = '/RunSSE';

/** A transport whose streams are not read for a while behind their first bytes: the socket fills, and the server has to wait. */
export function slow(inner: Transport, clock: Clock, pauseMs: number): Transport {
  return {
    async request(request) {
      const response = await inner.request(request);
      if (!request.url.endsWith(STREAM)) return response;
      return {
        ...response,
        header: (name) => response.header(name),
        body: hesitate(response, clock, pauseMs),
      };
    },
    close: () => inner.close(),
  };
}

/** Reads what a turn needs to get going, then nothing for a while. */
const READ_BEFORE_BYTES = 32 * 1024;

async function* hesitate(
  { body }: HttpResponse,
  clock: Clock,
  pauseMs: number,
): AsyncGenerator<Uint8Array, void> {
  let read = 0;
  let paused = false;
  for await (const chunk of body) {
    read += chunk.byteLength;
    yield chunk;
    if (paused || read < READ_BEFORE_BYTES) continue;
    paused = true;
    await new Promise<void>((resolve) => clock.after(pauseMs, resolve));
  }
}
