import nodeHttp from 'node:http';
import { buffer } from 'node:stream/consumers';
import { types } from 'node:util';
import type { Metrics } from './metrics.ts';

interface Params {
  readonly headers?: Readonly<Record<string, string>>;
  readonly responseType?: string;
  readonly tags?: { readonly name?: string };
}

/** `k6/http` as far as the script uses it: bodies go up and come down as a whole. */
export function k6Http(metrics: Metrics) {
  return { asyncRequest };

  async function asyncRequest(method: string, url: string, body: unknown, params: Params): Promise<object> {
    if (body !== null && typeof body !== 'string' && !types.isArrayBuffer(body)) {
      throw new TypeError('k6 takes a body as text or as an ArrayBuffer');
    }
    if (params.responseType !== 'binary') throw new TypeError('bodies are binary here');
    const began = performance.now();
    const answer = await exchange(method, url, body, params.headers ?? {});
    const metric = metrics.metric('trend', `http_req_duration{name:${params.tags?.name ?? url}}`);
    metric.add(performance.now() - began);
    return answer;
  }
}

/** k6 rejects no call: one that failed has status 0. */
async function exchange(
  method: string,
  url: string,
  body: string | ArrayBuffer | null,
  headers: Readonly<Record<string, string>>,
): Promise<object> {
  try {
    const response = await new Promise<nodeHttp.IncomingMessage>((resolve, reject) => {
      const request = nodeHttp.request(url, { method, headers });
      request.once('response', resolve);
      request.once('error', reject);
      request.end(typeof body === 'string' || body === null ? (body ?? undefined) : new Uint8Array(body));
    });
    const whole = await buffer(response);
    return {
      status: response.statusCode,
      error: '',
      headers: Object.fromEntries(
        Object.entries(response.headers).map(([name, value]) => [canonical(name), String(value)]),
      ),
      body: whole.buffer.slice(whole.byteOffset, whole.byteOffset + whole.byteLength),
    };
  } catch (error) {
    return { status: 0, error: String(error), headers: {}, body: null };
  }
}

/** As Go writes names. */
function canonical(name: string): string {
  return name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
}
