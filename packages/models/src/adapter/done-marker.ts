type Fetch = typeof globalThis.fetch;

const DONE = /(?:^|[\r\n])data: ?\[DONE\]/;
/** Longer than the marker and what may stand before it. */
const TAIL = 32;

export interface DoneWatch {
  readonly fetch: Fetch;
  /** Whether the response to the request with this signal held `data: [DONE]` so far. */
  seen(signal: AbortSignal): boolean;
}

/**
 * Watches responses for the marker that ends a chat-completions stream. The AI SDK drops it, and without it an
 * answer that has no finish reason cannot be told from one that was cut off between two lines.
 */
export function watchDone(inner: Fetch): DoneWatch {
  const done = new WeakSet<AbortSignal>();
  const fetch: Fetch = async (input, init) => {
    const response = await inner(input, init);
    const signal = init?.signal;
    if (!signal || !response.ok || !response.body) return response;
    let tail = '';
    const decoder = new TextDecoder('latin1');
    const scan = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        tail += decoder.decode(chunk, { stream: true });
        if (DONE.test(tail)) done.add(signal);
        tail = tail.slice(-TAIL);
        controller.enqueue(chunk);
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(scan), { status, statusText, headers: [...headers] });
  };
  return { fetch, seen: (signal) => done.has(signal) };
}
