import { TandemError } from '@tandem/errors';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { createLogger, type Logger, type LogLevel } from './logger.ts';

function capture(options: { level?: LogLevel; secrets?: string[] } = {}): { log: Logger; lines: string[] } {
  const lines: string[] = [];
  const log = createLogger({
    service: 'test',
    now: () => Date.UTC(2026, 0, 2),
    destination: { write: (line) => void lines.push(line) },
    ...options,
  });
  return { log, lines };
}

function first(lines: string[]): Record<string, unknown> {
  return JSON.parse(lines[0] ?? 'null');
}

describe('a line', () => {
  it('is JSON with service, level, time and fields', () => {
    const { log, lines } = capture();
    log.child({ requestId: 'r1' }).child({ runId: 'n1' }).warn({ bytes: 3, inputTokens: 7 }, 'stored');
    expect(first(lines)).toEqual({
      level: 'warn',
      time: '2026-01-02T00:00:00.000Z',
      service: 'test',
      pid: process.pid,
      requestId: 'r1',
      runId: 'n1',
      bytes: 3,
      inputTokens: 7,
      msg: 'stored',
    });
  });

  it('is not written below the level', () => {
    const { log, lines } = capture({ level: 'warn' });
    log.info('no');
    log.error('yes');
    expect(lines).toHaveLength(1);
    expect(log.isLevelEnabled('info')).toBe(false);
  });

  it('tells an error with code, reason, stack and the chain of its causes', () => {
    const { log, lines } = capture();
    const root = Object.assign(new Error('connect failed'), { code: 'ECONNREFUSED', body: 'not logged' });
    const error = new TandemError('provider_unavailable', {
      message: 'call 3 failed',
      cause: new Error('x', { cause: root }),
    });
    log.error(error, 'model call');
    const { err } = first(lines) as { err: Record<string, unknown> };
    expect(err).toMatchObject({
      type: 'TandemError',
      code: 'unavailable',
      reason: 'provider_unavailable',
      retryable: true,
      message: 'call 3 failed',
      cause: { message: 'x', cause: { message: 'connect failed', code: 'ECONNREFUSED' } },
    });
    expect(err.stack).toContain('logger.test.ts');
    expect(lines[0]).not.toContain('not logged');
  });

  it('survives cycles, getters that throw, depth, size, bytes and odd types', () => {
    const { log, lines } = capture();
    const loop: Record<string, unknown> = { big: 10n, bytes: new Uint8Array(5), when: new Date(0) };
    loop.self = loop;
    loop.hostile = Object.defineProperty({}, 'x', {
      enumerable: true,
      get: () => {
        throw new Error('no');
      },
    });
    loop.many = Array.from({ length: 1000 }, (_, index) => index);
    loop.map = new Map([['k', new Set([1])]]);
    loop.long = 'x'.repeat(100_000);
    log.info(loop, 'odd');
    expect(first(lines)).toMatchObject({
      big: '10',
      bytes: '[5 bytes]',
      when: '1970-01-01T00:00:00.000Z',
      self: '[circular]',
      hostile: '[unreadable]',
      map: { k: [1] },
    });
    expect(lines[0]?.length).toBeLessThan(12_000);
  });
});

/** Secrets by shape: recognised wherever they stand. */
const alphanumeric = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789');
const hex = fc.constantFrom(...'0123456789abcdef');
const string = (unit: fc.Arbitrary<string>, length: number) =>
  fc.string({ unit, minLength: length, maxLength: length });
const shaped = fc.oneof(
  string(alphanumeric, 40).map((tail) => `sk-proj-${tail}`),
  string(alphanumeric, 40).map((tail) => `tk_${tail}`),
  string(hex, 64),
  fc
    .tuple(string(alphanumeric, 20), string(alphanumeric, 60), string(alphanumeric, 43))
    .map((parts) => `eyJ${parts.join('.')}`),
);

/** Somewhere for it to be: each takes a text and hides it in what is logged. */
type Hiding = (secret: string) => unknown;
const hidings = fc.constantFrom<Hiding>(
  (secret) => secret,
  (secret) => `before ${secret} after`,
  (secret) => ({ deep: [{ deeper: `x=${secret}` }] }),
  (secret) => ({ [secret]: 1 }),
  (secret) => new Map([[secret, secret]]),
  (secret) => new Error(`failed with ${secret}`),
  (secret) => new TandemError('provider_auth', { cause: new Error('outer', { cause: { note: secret } }) }),
  (secret) => new AggregateError([new Error(secret)], secret),
  (secret) => new SyntaxError(`Unexpected token in "${secret}"`),
  (secret) => new URL(`https://user:${secret}@host/?q=${secret}`),
  (secret) => `${'x'.repeat(8150)} ${secret}`,
  (secret) => ({ toString: () => secret, header: `Bearer ${secret}` }),
);
const levels = fc.constantFrom('info', 'error', 'fatal' as const);

/** No run of twelve characters of the secret may be left: half a key is a leak too. */
function expectNoTrace(lines: string[], secret: string) {
  const output = lines.join('');
  for (let at = 0; at + 12 <= secret.length; at += 4) expect(output).not.toContain(secret.slice(at, at + 12));
}

test('a secret of a known shape never appears, wherever it was planted', () => {
  fc.assert(
    fc.property(shaped, hidings, levels, (secret, hide, level) => {
      const { log, lines } = capture({ level: 'trace' });
      log.child({ bound: hide(secret) })[level]({ field: hide(secret) }, `text ${secret} end`);
      log[level](new Error(secret, { cause: hide(secret) }), secret);
      log[level](`Authorization: Bearer ${secret}`);
      expectNoTrace(lines, secret);
      for (const line of lines) expect(JSON.parse(line)).toBeTypeOf('object');
    }),
    { numRuns: 300 },
  );
});

test('any value under a sensitive key is gone, whatever its shape', () => {
  const keys = fc.constantFrom(
    'authorization',
    'Authorization',
    'x-blob-encryption-key',
    'apiKey',
    'OPENAI_API_KEY',
    'access_token',
    'accessToken',
    'password',
    'clientSecret',
    'cookie',
    'prompt',
    'text',
    'content',
    'blobData',
    'data',
  );
  const wrapped = fc.constantFrom<Hiding>(
    (secret) => secret,
    (secret) => ({ inner: secret }),
    (secret) => [secret],
    (secret) => Buffer.from(secret),
  );
  fc.assert(
    fc.property(keys, wrapped, string(alphanumeric, 24), (key, wrap, secret) => {
      const { log, lines } = capture();
      log
        .child({ [key]: wrap(secret) })
        .info({ [key]: wrap(secret), in: { side: [{ [key]: wrap(secret) }] } }, 'm');
      expectNoTrace(lines, secret);
    }),
    { numRuns: 300 },
  );
});

test('secrets given by value are taken out of everything', () => {
  const { log, lines } = capture({ secrets: ['correct horse battery'] });
  log.info({ note: 'the correct horse battery staple' }, 'said correct horse battery');
  log.error(new Error('correct horse battery'), 'x');
  expect(lines.join('')).not.toContain('correct horse');
});

test('a text keeps what is no secret', () => {
  const { log, lines } = capture();
  log.info(
    { url: 'https://host/path?x=1', id: '0b9e4ad6-9d0c-4f0e-8a53-6a4c0ad6a1c2' },
    'token refreshed for owner u1',
  );
  expect(first(lines)).toMatchObject({
    url: 'https://host/path?x=1',
    id: '0b9e4ad6-9d0c-4f0e-8a53-6a4c0ad6a1c2',
    msg: 'token refreshed for owner u1',
  });
});
