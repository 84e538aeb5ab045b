import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { anthropicSink } from './anthropic-stream.ts';
import { bedrockSink } from './bedrock-stream.ts';
import { answerControl, type ScriptedProvider } from './control.ts';
import { Gates } from './gates.ts';
import { googleSink } from './google-stream.ts';
import { openAiSink } from './openai-stream.ts';
import { play, type Wire } from './play.ts';
import { lastUserText, messagesOf, type ProviderBody, type ProviderRequest } from './request.ts';
import { responsesSink } from './responses-stream.ts';
import { echo, type Reply, type Script } from './script.ts';

const SINKS = {
  openai: openAiSink,
  responses: responsesSink,
  anthropic: anthropicSink,
  google: googleSink,
  bedrock: bedrockSink,
};

const TOKEN = {
  access_token: 'sk-secret-key',
  issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
  token_type: 'Bearer',
  expires_in: 3600,
};

type Recorded = { -readonly [Key in keyof ProviderRequest]: ProviderRequest[Key] };

/** Starts a scripted provider on loopback, on a free port unless one is given. */
export async function startScriptedProvider(options: { port?: number } = {}): Promise<ScriptedProvider> {
  const gates = new Gates();
  const scripts = new Map<string, Script>();
  const requests: Recorded[] = [];
  const waiting = new Set<{ count: number; resolve: (request: ProviderRequest) => void }>();

  const server = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch((error: unknown) => outgoing.destroy(error as Error));
  });

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const path = incoming.url ?? '/';
    const raw = await text(incoming);
    if (path.startsWith('/control/')) return answerControl(provider, path, raw, outgoing);
    // What Google's clients exchange their credentials at.
    if (path === '/token') return sendJson(outgoing, 200, TOKEN);
    const api = apiOf(path);
    if (!api || incoming.method !== 'POST')
      return sendJson(outgoing, 404, { error: { message: 'no such path' } });
    const request = record(api, path, incoming, raw, outgoing);
    await answer(request, replyTo(request), outgoing, gates);
  }

  function record(
    api: ProviderRequest['api'],
    path: string,
    incoming: IncomingMessage,
    raw: string,
    outgoing: ServerResponse,
  ): Recorded {
    const body: ProviderBody = { messages: [], ...modelOf(path), ...JSON.parse(raw) };
    const closed = Promise.withResolvers<void>();
    const request: Recorded = {
      api,
      model: body.model,
      path,
      headers: incoming.headers,
      raw,
      body,
      lastUserText: lastUserText(messagesOf(body)),
      receivedAt: Date.now(),
      endedAt: undefined,
      aborted: false,
      closed: closed.promise,
    };
    outgoing.once('close', () => {
      request.endedAt = Date.now();
      request.aborted = !outgoing.writableEnded;
      closed.resolve();
    });
    requests.push(request);
    for (const waiter of waiting) {
      if (requests.length < waiter.count) continue;
      waiting.delete(waiter);
      waiter.resolve(requests[waiter.count - 1] as Recorded);
    }
    return request;
  }

  function replyTo(request: ProviderRequest): Reply {
    for (const model of [request.model, '*']) {
      const script = scripts.get(model);
      const reply = Array.isArray(script)
        ? script.shift()
        : typeof script === 'function'
          ? script(request)
          : script;
      if (reply) return reply as Reply;
    }
    return echo(request);
  }

  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;

  const provider: ScriptedProvider = {
    url,
    baseUrl: `${url}/v1`,
    port,
    requests,
    script: (model, script) => void scripts.set(model, Array.isArray(script) ? [...script] : script),
    request: (count) => {
      const known = requests[count - 1];
      if (known) return Promise.resolve(known);
      return new Promise((resolve) => waiting.add({ count, resolve }));
    },
    held: (name) => gates.held(name),
    release: (name) => gates.release(name),
    reset: () => {
      scripts.clear();
      requests.length = 0;
      gates.releaseAll();
    },
    close: async () => {
      gates.releaseAll();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  return provider;
}

/** Gemini and Bedrock have the model in the address. */
const MODEL_IN_PATH = /\/models?\/([^/]+?)(?::streamGenerateContent|\/converse-stream)$/;

function modelOf(target: string): { model?: string } {
  const model = MODEL_IN_PATH.exec(pathOf(target))?.[1];
  return model === undefined ? {} : { model: decodeURIComponent(model) };
}

function pathOf(target: string): string {
  return target.split('?', 1)[0] ?? '';
}

function apiOf(target: string): ProviderRequest['api'] | undefined {
  const path = pathOf(target);
  if (path.endsWith(':streamGenerateContent')) return 'google';
  if (path.endsWith('/converse-stream')) return 'bedrock';
  if (path.endsWith('/chat/completions')) return 'openai';
  if (path.endsWith('/responses')) return 'responses';
  return path.endsWith('/messages') ? 'anthropic' : undefined;
}

async function answer(
  request: ProviderRequest,
  reply: Reply,
  outgoing: ServerResponse,
  gates: Gates,
): Promise<void> {
  if ('status' in reply) {
    if (reply.hold !== undefined) await Promise.race([gates.hold(reply.hold), request.closed]);
    return sendJson(outgoing, reply.status, reply.body ?? {}, reply.headers);
  }
  const wire: Wire = {
    write: (chunk) => void outgoing.write(chunk),
    end: () => void outgoing.end(),
    cut: () => void outgoing.destroy(),
    delay,
    gone: () => outgoing.destroyed,
    whenGone: request.closed,
  };
  const type = request.api === 'bedrock' ? 'application/vnd.amazon.eventstream' : 'text/event-stream';
  outgoing.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache' });
  outgoing.flushHeaders();
  await play(reply.steps, SINKS[request.api](request, reply.steps, wire.write), wire, gates);
}

function sendJson(outgoing: ServerResponse, status: number, body: unknown, headers = {}): void {
  outgoing.writeHead(status, { 'content-type': 'application/json', ...headers });
  outgoing.end(JSON.stringify(body));
}
