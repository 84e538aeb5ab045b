import type { IncomingMessage, ServerResponse } from 'node:http';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { getRequestListener } from '@hono/node-server';
import { sleep, toConnectError } from '@tandem/errors';
import { adminApp, type KeyOwner, mayUse } from '@tandem/platform';
import type { Hono } from 'hono';
import { appendBodyBytes, bidiAppendHandler } from './append/bidi-append.ts';
import { BodyBudget } from './append/body-budget.ts';
import { Authenticator } from './auth/authenticator.ts';
import type { GatewayDeps } from './deps.ts';
import { declareMetrics, type GatewayMetrics } from './metrics/gateway-metrics.ts';
import { READER_TIMINGS, within } from './reader/timings.ts';
import { runSseHandler } from './relay/run-sse.ts';
import { Streams } from './relay/streams.ts';
import { restApp } from './rest/app.ts';
import { runHandler } from './run/run-bidi.ts';
import { type Handler, pathOf, type Request, type Response } from './server/exchange.ts';
import { InFlight } from './server/in-flight.ts';
import { Listener } from './server/listener.ts';
import { smallRpcRoutes } from './small-rpc/routes.ts';
import { answerUnimplemented, KNOWN_METHODS, rpcMethodOf } from './small-rpc/unimplemented.ts';

/** A running edge: sockets and subscriptions, nothing else. */
export interface Gateway {
  /** Starts to serve. @returns the address, with the port that was taken */
  listen(): Promise<GatewayAddress>;
  /** Fails readiness, refuses new streams, and after the grace ends those that are open, so that clients come back elsewhere. */
  drain(): Promise<void>;
  /** Closes all that is left. */
  close(): Promise<void>;
  readonly address: GatewayAddress | undefined;
}

export interface GatewayAddress {
  readonly port: number;
  readonly adminPort: number | undefined;
  /** Where a client on this machine reaches it. */
  readonly url: string;
}

/** Small calls carry no contents; analytics come in batches. */
const MAX_SMALL_RPC_BYTES = 4 * 1024 * 1024;

/** One for all: a closure each would add up over thousands of streams. */
const ignore = () => {};

/** Makes a gateway. It does nothing before `listen`. */
export function createGateway(deps: GatewayDeps): Gateway {
  const { config, clock, logger } = deps;
  const { limits } = config;
  const maxBytes = appendBodyBytes(limits.messageBytes);
  const budget = new BodyBudget(
    {
      totalBytes: Math.max(limits.bodyBytes, maxBytes),
      ownerBytes: Math.max(limits.ownerBodyBytes, maxBytes),
      waitMs: limits.bodyRoomMs,
    },
    clock,
  );
  const measured: { streams: Streams | undefined } = { streams: undefined };
  const metrics = declareMetrics(deps.metrics, {
    streams: () => measured.streams?.size ?? 0,
    bodyBytes: () => budget.total,
    methods: KNOWN_METHODS,
    fault: (error) => logger.warn({ err: error }, 'reader'),
  });
  const timings = deps.readerTimings ?? { ...READER_TIMINGS, openWithinMs: config.openMs };
  const streams = new Streams({ ...deps, timings, observer: metrics.reader }, config.maxStreams);
  measured.streams = streams;

  let draining = false;
  const admin = adminApp({
    readiness: async () => {
      if (draining) return { ready: false, checks: { draining: true } };
      return (await deps.readiness?.()) ?? { ready: true, checks: {} };
    },
    metricsText: () => deps.metrics.text(),
    metricsContentType: deps.metrics.contentType,
  });
  const inFlight = new InFlight();
  const route = makeHandler(deps, { streams, budget, metrics, admin, maxBytes });
  const handler: Handler = (request, response) => {
    inFlight.add(response);
    request.on('error', ignore);
    response.on('error', ignore);
    // The connection is not to be used again: the client's next call goes to another gateway.
    if (draining && request.httpVersionMajor < 2) response.setHeader('connection', 'close');
    route(request, response);
  };
  const listenerOptions = { headersMs: limits.headersMs, idleMs: limits.idleMs, onFault };
  const listener = new Listener({ ...listenerOptions, handler, tls: deps.tls });
  const adminListener =
    config.adminPort === undefined
      ? undefined
      : new Listener({ ...listenerOptions, handler: honoHandler(admin) });
  let address: GatewayAddress | undefined;

  function onFault(error: Error): void {
    metrics.connectionFault();
    logger.debug({ err: error }, 'connection');
  }

  return {
    get address() {
      return address;
    },
    async listen() {
      const port = await listener.listen(config.port, config.host);
      const adminPort = await adminListener?.listen(config.adminPort ?? 0, config.host);
      const host = ['0.0.0.0', '::'].includes(config.host) ? '127.0.0.1' : config.host;
      address = { port, adminPort, url: `${deps.tls ? 'https' : 'http'}://${host}:${port}` };
      logger.info({ port, adminPort }, 'gateway listens');
      return address;
    },
    async drain() {
      if (draining) return;
      draining = true;
      streams.refuse();
      await sleep(clock, config.drainGraceMs);
      await streams.drain();
      listener.closeIdle();
      await within(clock, config.storeMs, inFlight.idle(), undefined);
    },
    async close() {
      draining = true;
      streams.refuse();
      await Promise.all([listener.close(), adminListener?.close()]);
    },
  };
}

interface Parts {
  readonly streams: Streams;
  readonly budget: BodyBudget;
  readonly metrics: GatewayMetrics;
  readonly admin: Hono;
  readonly maxBytes: number;
}

/** Which handler has which path. */
function makeHandler(deps: GatewayDeps, { streams, budget, metrics, admin, maxBytes }: Parts): Handler {
  const { config, clock, logger } = deps;
  const auth = new Authenticator({ ...deps, tokenTtlMs: config.tokenTtlMs });
  const pace = { baseMs: config.limits.bodyMs, minBytesPerSecond: config.limits.bodyRate };
  const shared = {
    ...deps,
    auth,
    streams,
    storeMs: config.storeMs,
    maxMessageBytes: config.limits.messageBytes,
    streamContentType: config.streamContentType,
    trustedProxy: config.trustedProxy,
    observe: metrics.append,
    observeRefusal: metrics.refused,
  };
  const raw = new Map<string, Handler>([
    [
      '/aiserver.v1.BidiService/BidiAppend',
      bidiAppendHandler({ ...shared, budget, bodyLimits: { ...pace, maxBytes } }),
    ],
    ['/agent.v1.AgentService/RunSSE', runSseHandler({ ...shared, bodyLimits: pace })],
    ['/agent.v1.AgentService/Run', runHandler(shared)],
  ]);

  const listing = (owner: KeyOwner) => deps.listing().filter(({ id }) => mayUse(owner, id));
  const rest = restApp({
    identifyKey: (authorization) => auth.identifyKey(authorization),
    exchange: (authorization) => auth.exchange(authorization),
    listing,
  });
  if (config.adminPort === undefined) rest.route('/', admin);
  const restHandler = honoHandler(rest);
  const small = connectNodeAdapter({
    routes: smallRpcRoutes({
      identify: (authorization) =>
        auth.identifyBearer(authorization).catch((error) => Promise.reject(toConnectError(error))),
      listing,
      http2Config: config.http2Config,
      now: () => clock.now(),
    }),
    readMaxBytes: MAX_SMALL_RPC_BYTES,
    fallback: (rawRequest, rawResponse) => {
      const request = rawRequest as Request;
      const response = rawResponse as Response;
      const method = rpcMethodOf(request);
      if (!method) return restHandler(request, response);
      metrics.unimplemented(method);
      logger.debug({ method: method.slice(0, 200) }, 'method not served');
      answerUnimplemented(request, response);
    },
  });

  return (request: Request, response: Response) => {
    const handler = request.method === 'POST' ? raw.get(pathOf(request)) : undefined;
    if (handler) handler(request, response);
    else small(request as IncomingMessage, response as ServerResponse);
  };
}

function honoHandler(app: Hono): Handler {
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  return (request, response) => void listener(request as IncomingMessage, response as ServerResponse);
}
