import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { type JsonSearchOptions, jsonSearch } from './json-search.ts';

let server: Server | undefined;

afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  server = undefined;
});

async function search(listener: RequestListener, more: Partial<JsonSearchOptions> = {}) {
  const listening = createServer(listener);
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const { port } = listening.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/find?q={query}&format=json`;
  const find = jsonSearch({ url, key: undefined, keyHeader: 'authorization', results: 'results', ...more });
  return (query: string) => find(query, new AbortController().signal);
}

it('gives the query to the provider, and takes results under common names', async () => {
  let asked: unknown;
  const find = await search(
    ({ url, headers }, response) => {
      asked = { url, authorization: headers.authorization };
      const results = [
        { title: 'A', url: 'https://a/', content: 'aa' },
        { name: 'B', link: 'https://b/', snippet: 'bb' },
        { title: 'no address' },
        'nothing',
      ];
      response.end(JSON.stringify({ results }));
    },
    { key: 'secret' },
  );
  expect(await find('a&b=c /#')).toEqual([
    { title: 'A', url: 'https://a/', excerpt: 'aa' },
    { title: 'B', url: 'https://b/', excerpt: 'bb' },
  ]);
  expect(asked).toEqual({ url: '/find?q=a%26b%3Dc%20%2F%23&format=json', authorization: 'Bearer secret' });
});

it('finds results deeper in the answer, and sends the key as the provider wants it', async () => {
  let header: unknown;
  const find = await search(
    ({ headers }, response) => {
      header = headers['x-key'];
      response.end(JSON.stringify({ web: { results: [{ url: 'https://a/' }] } }));
    },
    { results: 'web.results', key: 'secret', keyHeader: 'X-Key' },
  );
  expect(await find('x')).toEqual([{ title: '', url: 'https://a/', excerpt: '' }]);
  expect(header).toBe('secret');
});

it.each<[string, RequestListener, string]>([
  ['an error', (_, response) => void response.writeHead(500).end('{}'), 'answered with status 500'],
  ['no JSON', (_, response) => void response.end('<html>'), 'is not understood'],
  ['no list', (_, response) => void response.end('{"results":1}'), 'no list of results'],
  [
    'a redirect',
    (_, response) => void response.writeHead(302, { location: '/x' }).end(),
    'could not be reached',
  ],
  ['nothing', (_, response) => void response.socket?.destroy(), 'could not be reached'],
  ['too much', (_, response) => void response.end('x'.repeat(3_000_000)), 'too large'],
])('tells of %s, without address or key', async (_, listener, said) => {
  const find = await search(listener, { key: 'secret' });
  const fault = await find('x').catch((error: Error) => error.message);
  expect(fault).toContain(said);
  expect(fault).not.toMatch(/secret|127/);
});
