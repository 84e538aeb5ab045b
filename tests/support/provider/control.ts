import type { ServerResponse } from 'node:http';
import type { ProviderRequest } from './request.ts';
import type { Script } from './script.ts';

/** A model provider that says what it is told to, over real HTTP. */
export interface ScriptedProvider {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** Base URL for clients of either API. */
  readonly baseUrl: string;
  readonly port: number;
  /** All requests so far, oldest first. */
  readonly requests: readonly ProviderRequest[];
  /** Says what a model (`*`: any) answers from now on, in place of what was said before. */
  script(model: string, script: Script): void;
  /** Resolves with the request number `count` (from 1) once it has come. */
  request(count: number): Promise<ProviderRequest>;
  /** Resolves when an answer has come to this `hold`. */
  held(name: string): Promise<void>;
  release(name: string): void;
  /** Forgets scripts and requests, and lets all that is held go on. */
  reset(): void;
  close(): Promise<void>;
}

/**
 * Control of a provider that runs in another process:
 *
 * - `POST /control/script` `{model, script}`: as `script()`; functions cannot travel.
 * - `POST /control/release` `{name}`, `POST /control/reset`
 * - `GET /control/held?name=`: answers when an answer has come to that hold.
 * - `GET /control/request?count=`: answers with that request (from 1) when it has come.
 * - `GET /control/requests?from=`: all requests from that index on.
 */
export async function answerControl(
  provider: ScriptedProvider,
  path: string,
  raw: string,
  outgoing: ServerResponse,
): Promise<void> {
  const { pathname, searchParams } = new URL(path, provider.url);
  const body = (raw === '' ? {} : JSON.parse(raw)) as { model?: string; script?: Script; name?: string };
  const result = await run();
  outgoing.writeHead(result === undefined ? 404 : 200, { 'content-type': 'application/json' });
  outgoing.end(JSON.stringify(result ?? { error: 'no such control' }));

  async function run(): Promise<unknown> {
    switch (pathname) {
      case '/control/script':
        if (body.script === undefined) return undefined;
        provider.script(body.model ?? '*', body.script);
        return {};
      case '/control/release':
        if (body.name === undefined) return undefined;
        provider.release(body.name);
        return {};
      case '/control/reset':
        provider.reset();
        return {};
      case '/control/held':
        await provider.held(searchParams.get('name') ?? '');
        return {};
      case '/control/request':
        return provider.request(Number(searchParams.get('count') ?? 1));
      case '/control/requests':
        return provider.requests.slice(Number(searchParams.get('from') ?? 0));
      default:
        return undefined;
    }
  }
}
