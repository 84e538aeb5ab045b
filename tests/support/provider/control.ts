import type { ServerResponse } from 'node:http';
import type { Script } from './script.ts';
import type { ScriptedProvider } from './scripted-provider.ts';

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
