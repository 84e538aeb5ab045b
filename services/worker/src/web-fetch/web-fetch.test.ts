import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { isPublicAddress } from './public-address.ts';
import { PUBLIC_WEB, type WebFetchOptions, webFetch } from './web-fetch.ts';

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A server on loopback, which stands for one on the web: every name leads to it, and only it may be reached. */
async function web(listener: RequestListener, more: Partial<WebFetchOptions> = {}) {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const asked: string[] = [];
  const options: WebFetchOptions = {
    ...PUBLIC_WEB,
    resolve: async (hostname) => {
      asked.push(hostname);
      return ['127.0.0.1'];
    },
    allow: (address, to) => address === '127.0.0.1' && to === port,
    ...more,
  };
  const signal = new AbortController().signal;
  return {
    port,
    asked,
    fetch: (path: string) => webFetch(`http://site.test:${port}${path}`, signal, options),
  };
}

describe('webFetch', () => {
  it('reads a page as text, under a name of its own', async () => {
    let headers: Record<string, unknown> = {};
    const { fetch, port } = await web((request, response) => {
      headers = request.headers;
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end('<nav>menu</nav><h1>Title</h1><p>Hello <a href="/x">there</a></p><script>no()</script>');
    });
    const page = await fetch('/a#b');
    expect(page).toEqual({
      url: `http://site.test:${port}/a`,
      status: 200,
      mediaType: 'text/html',
      text: `# Title\n\nHello [there](http://site.test:${port}/x)`,
      cut: false,
    });
    expect(headers).toMatchObject({
      host: `site.test:${port}`,
      'user-agent': expect.stringContaining('Tandem'),
    });
    expect(headers.cookie).toBeUndefined();
  });

  it('follows redirects, and checks each', async () => {
    const { fetch, port, asked } = await web((request, response) => {
      if (request.url === '/a') response.writeHead(302, { location: `http://other.test:${port}/b` }).end();
      else response.setHeader('content-type', 'application/json').end('{"a":1}');
    });
    expect(await fetch('/a')).toMatchObject({ url: `http://other.test:${port}/b`, text: '{"a":1}' });
    expect(asked).toEqual(['site.test', 'other.test']);
  });

  it.each([
    ['an address on the private network', 'http://10.0.0.1/'],
    ['the metadata of a cloud', 'http://169.254.169.254/latest'],
    ['loopback, written as a number', 'http://2130706433/'],
    ['loopback by IPv6', 'http://[::1]/'],
    ['a file', 'file:///etc/passwd'],
    ['an address with a password', 'http://user:secret@site.test/'],
  ])('follows no redirect to %s', async (_, location) => {
    const { fetch } = await web((_request, response) => response.writeHead(307, { location }).end());
    await expect(fetch('/')).rejects.toThrow(/not fetched|can be fetched/);
  });

  it('gives up on redirects without end', async () => {
    let count = 0;
    const { fetch } = await web((_request, response) => {
      response.writeHead(301, { location: `/${++count}` }).end();
    });
    await expect(fetch('/')).rejects.toThrow('more than 5 times');
    expect(count).toBe(6);
  });

  it('connects to the address that was checked, whatever its name stands for later', async () => {
    let answers = 0;
    const { fetch } = await web(
      (_request, response) => response.setHeader('content-type', 'text/plain').end('ok'),
      {
        resolve: async () => (answers++ === 0 ? ['127.0.0.1'] : ['10.0.0.1']),
      },
    );
    expect(await fetch('/')).toMatchObject({ text: 'ok' });
    expect(answers).toBe(1);
  });

  it('refuses a name when one of its addresses must not be reached', async () => {
    let reached = false;
    const { fetch } = await web(
      (_request, response) => {
        reached = true;
        response.end();
      },
      { resolve: async () => ['127.0.0.1', '192.168.1.1'] },
    );
    await expect(fetch('/')).rejects.toThrow('is not a public address');
    expect(reached).toBe(false);
  });

  it('stops at its limit, also of what is only small while compressed', async () => {
    const { fetch } = await web(
      (request, response) => {
        response.setHeader('content-type', 'text/plain');
        if (request.url === '/plain') response.end('x'.repeat(5_000));
        else response.setHeader('content-encoding', 'gzip').end(gzipSync('y'.repeat(10_000_000)));
      },
      { maxBytes: 1_000 },
    );
    expect(await fetch('/plain')).toMatchObject({ text: 'x'.repeat(1_000), cut: true });
    expect(await fetch('/gzip')).toMatchObject({ text: 'y'.repeat(1_000), cut: true });
  });

  it('stops when its time is over, wherever it is', async () => {
    const slow = await web((_request, response) => response.writeHead(200).write('x'), { timeoutMs: 100 });
    await expect(slow.fetch('/')).rejects.toThrow('took too long');
    const lost = await web(() => {}, { timeoutMs: 100, resolve: () => new Promise(() => {}) });
    await expect(lost.fetch('/')).rejects.toThrow('took too long');
  });

  it.each([
    ['image/png', 'is of the type image/png'],
    ['application/octet-stream', 'which is not text'],
  ])('refuses %s', async (type, said) => {
    const { fetch } = await web((_request, response) => response.setHeader('content-type', type).end('x'));
    await expect(fetch('/')).rejects.toThrow(said);
  });

  it('tells of an error page, other charsets, names that are not known and a broken answer', async () => {
    const { fetch } = await web((request, response) => {
      if (request.url === '/broken') return void response.socket?.destroy();
      response.writeHead(404, { 'content-type': 'text/plain; charset=latin1' }).end(Buffer.from([0xe4]));
    });
    expect(await fetch('/')).toMatchObject({ status: 404, text: 'ä' });
    await expect(fetch('/broken')).rejects.toThrow('could not be reached');
    const unknown = await web(() => {}, { resolve: () => Promise.reject(new Error('ENOTFOUND')) });
    await expect(unknown.fetch('/')).rejects.toThrow('The name site.test is not known.');
  });
});

describe('isPublicAddress', () => {
  it.each(['1.1.1.1', '8.8.8.8', '172.15.0.1', '172.32.0.1', '2606:4700::1111', '2a00:1450::1'])(
    '%s is',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    '2001:0:1::1',
    '2001:db8::1',
    'fc00::1',
    'fd12::1',
    'fe80::1',
    'fe80::1%eth0',
    'ff02::1',
    'localhost',
    '',
  ])('%j is not', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it('and only the ports of the web are reached', () => {
    expect(PUBLIC_WEB.allow('1.1.1.1', 443)).toBe(true);
    expect(PUBLIC_WEB.allow('1.1.1.1', 25)).toBe(false);
    expect(PUBLIC_WEB.allow('10.0.0.1', 443)).toBe(false);
  });
});
