import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { forward } from './forward.ts';

/** One call that the proxy passed on. */
export interface ProxiedCall {
  readonly path: string;
  /** The `x-request-id` header; empty when there was none. */
  readonly requestId: string;
  /** Which gateway served it, as an index. */
  readonly gateway: number;
  readonly status: number | undefined;
  /** The answer's bytes so far, for calls of RunSSE. */
  readonly answer: readonly Uint8Array[];
  /** Resolves when the answer is over: whether it came whole. */
  readonly whole: Promise<boolean>;
}

/** A proxy in front of several gateways. */
export interface RoundRobinProxy extends AsyncDisposable {
  readonly url: string;
  readonly calls: readonly ProxiedCall[];
  /** Why calls failed in the proxy itself, or on the way to a gateway. */
  readonly faults: readonly unknown[];
}

/**
 * Passes each call of a request to another gateway than the one before, so that no two calls in a row meet the same one.
 * A gateway that refuses the connection is passed over, as a load balancer would. Bodies go up whole and come down as they
 * arrive.
 */
export async function startRoundRobinProxy(gateways: readonly string[]): Promise<RoundRobinProxy> {
  const turns = new Map<string, number>();
  const calls: ProxiedCall[] = [];
  const faults: unknown[] = [];
  const agent = new http.Agent({ keepAlive: true });

  /** Different requests start at different gateways. */
  function nextOf(requestId: string): number {
    const next = turns.get(requestId) ?? turns.size;
    turns.set(requestId, next + 1);
    return next % gateways.length;
  }

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const requestId = String(incoming.headers['x-request-id'] ?? '');
    const body = await buffer(incoming);
    const first = nextOf(requestId);
    for (let tries = 1; ; tries += 1) {
      // Calls at the same time advance the count, too: what passes a gateway over counts for itself.
      const gateway = (first + tries - 1) % gateways.length;
      try {
        const answer = await forward(agent, gateways[gateway] ?? '', incoming, body, outgoing);
        calls.push(copy(answer, outgoing, { path: incoming.url ?? '/', requestId, gateway }));
        return;
      } catch (error) {
        const refused = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';
        if (!refused || tries === gateways.length) throw error;
      }
    }
  }

  const server = http.createServer((incoming, outgoing) => {
    pass(incoming, outgoing).catch((fault) => {
      // A client that leaves in the middle of its call is no fault.
      if (!outgoing.closed) faults.push(fault);
      outgoing.destroy();
    });
  });
  // Clients are idle for 5 s between heartbeats, just as long as node would keep their connections.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    faults,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      agent.destroy();
      await closed;
    },
  };
}

function copy(
  answer: IncomingMessage,
  outgoing: ServerResponse,
  call: Pick<ProxiedCall, 'path' | 'requestId' | 'gateway'>,
): ProxiedCall {
  const { 'transfer-encoding': _chunked, connection: _hop, ...headers } = answer.headers;
  outgoing.writeHead(answer.statusCode ?? 502, headers);
  outgoing.flushHeaders();
  const recorded = call.path.endsWith('/RunSSE');
  const bytes: Uint8Array[] = [];
  answer.on('data', (chunk: Buffer) => {
    if (recorded) bytes.push(chunk);
    outgoing.write(chunk);
  });
  answer.once('end', () => outgoing.end());
  // A gateway that dies cuts its clients, through the proxy as without it.
  answer.on('error', () => outgoing.destroy());
  const whole = new Promise<boolean>((resolve) => {
    answer.once('close', () => resolve(answer.complete));
  });
  return { ...call, status: answer.statusCode, answer: bytes, whole };
}
