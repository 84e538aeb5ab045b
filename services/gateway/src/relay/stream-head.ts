import type { ServerResponse } from 'node:http';
import type { GatewayConfig } from '../config/gateway-config.ts';
import { header, type Request, type Response } from '../server/exchange.ts';

/** The content type of a stream: text/event-stream is what the IDE wants, older SDKs take Connect's only (docs/protocol.md, 1). */
export function streamContentType(request: Request, configured: GatewayConfig['streamContentType']): string {
  if (configured !== 'auto') return configured;
  return header(request, 'x-cursor-client-type')?.toLowerCase() === 'ide'
    ? 'text/event-stream'
    : 'application/connect+proto';
}

/** Whether the client takes gzipped messages in a stream. */
export function acceptsGzip(request: Request): boolean {
  const accepted = header(request, 'connect-accept-encoding') ?? '';
  return accepted.split(',').some((encoding) => encoding.trim() === 'gzip');
}

/** Sends a stream's head at once: clients and proxies wait for it. */
export function writeStreamHead(response: Response, contentType: string, gzip: boolean): void {
  const target = response as ServerResponse;
  target.writeHead(200, {
    'content-type': contentType,
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    ...(gzip ? { 'connect-content-encoding': 'gzip' } : {}),
  });
  target.flushHeaders();
}

/** Whether a proxy says that the request came through it. */
export function cameThroughProxy(request: Request): boolean {
  return ['via', 'forwarded', 'x-forwarded-for'].some((name) => header(request, name) !== undefined);
}
