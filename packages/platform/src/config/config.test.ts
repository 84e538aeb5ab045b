import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { ConfigError } from './config-error.ts';
import { bool, byteSize, duration, integer, list, oneOf, optional, port, text, url } from './kinds.ts';
import { type ReadConfigOptions, readConfig } from './read-config.ts';
import { foreign, secret, setting } from './setting.ts';
import { describeConfig, describeSettings, settingsHelp } from './settings-help.ts';

const shape = {
  port: setting('PORT', port({ default: 8080 }), 'the port; `0` is [any](#any)'),
  bodies: { max: setting('MAX_BODY', byteSize({ default: '32MiB', max: '1GiB' }), 'one body') },
  grace: setting('GRACE', duration({ default: '30s', min: '1s' }), 'a wait'),
  redis: setting('REDIS_URL', optional(url({ protocols: ['redis', 'rediss'] })), 'an engine'),
  mode: setting('MODE', oneOf(['memory', 'cluster'], { default: 'memory' }), 'which adapters'),
  hosts: setting('HOSTS', list({ default: '' }), 'other hosts'),
  debug: setting('DEBUG', bool({ default: false }), 'say more'),
  tokenSecret: secret('TOKEN_SECRET', text({ minLength: 8 }), 'signs'),
  openai: foreign('OPENAI_API_KEY', optional(text()), { secret: true, description: 'a key' }),
};

const TOKEN = { TANDEM_TOKEN_SECRET: 'long-enough' };

function faultsOf(
  env: Record<string, string>,
  argv: string[] = [],
  options: ReadConfigOptions<typeof shape> = {},
): Record<string, string> {
  try {
    readConfig(shape, env, argv, options);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return Object.fromEntries(error.faults.map(({ where, reason }) => [where, reason]));
  }
  return {};
}

test('defaults, typed and frozen', () => {
  const config = readConfig(shape, TOKEN);
  expect(config).toEqual({
    port: 8080,
    bodies: { max: 32 * 1024 * 1024 },
    grace: 30_000,
    redis: undefined,
    mode: 'memory',
    hosts: [],
    debug: false,
    tokenSecret: 'long-enough',
    openai: undefined,
  });
  expectTypeOf(config.port).toEqualTypeOf<number>();
  expectTypeOf(config.mode).toEqualTypeOf<'memory' | 'cluster'>();
  expectTypeOf(config.bodies.max).toEqualTypeOf<number>();
  expectTypeOf(config.openai).toEqualTypeOf<string | undefined>();
  expect(Object.isFrozen(config) && Object.isFrozen(config.bodies) && Object.isFrozen(config.hosts)).toBe(
    true,
  );
});

test('the environment, and the command line before it', () => {
  const env = {
    ...TOKEN,
    TANDEM_PORT: '1',
    TANDEM_HOSTS: 'a, b,,',
    TANDEM_MAX_BODY: '1KiB',
    OPENAI_API_KEY: 'k',
  };
  const config = readConfig(shape, env, ['--port=2', '--mode', 'cluster', '--debug']);
  expect(config).toMatchObject({
    port: 2,
    hosts: ['a', 'b'],
    bodies: { max: 1024 },
    mode: 'cluster',
    debug: true,
    openai: 'k',
  });
});

test('an empty variable is not set', () => {
  expect(readConfig(shape, { ...TOKEN, TANDEM_PORT: '', TANDEM_REDIS_URL: '' }).port).toBe(8080);
});

test('all faults at once, by variable, in words', () => {
  const env = {
    TANDEM_PORT: '99999',
    TANDEM_MAX_BODY: '2GiB',
    TANDEM_GRACE: '30',
    TANDEM_REDIS_URL: 'http://x',
    TANDEM_MODE: 'other',
    TANDEM_DEBUG: 'maybe',
  };
  expect(faultsOf(env, ['--what', 'x'])).toEqual({
    '--what': 'is not known here',
    'command line': 'is not known here',
    TANDEM_PORT: 'must be a whole number from 0 to 65535',
    TANDEM_MAX_BODY: 'must be a size such as 512KiB or 32MiB, at most 1GiB',
    TANDEM_GRACE: 'must be a duration such as 250ms, 30s or 1h30m, at least 1s',
    TANDEM_REDIS_URL: 'must be a URL that starts with redis:// or rediss://',
    TANDEM_MODE: 'must be one of memory, cluster',
    TANDEM_DEBUG: 'must be true or false',
    TANDEM_TOKEN_SECRET: 'is not set',
  });
});

test('no value is quoted, not even by a type that quotes', () => {
  const quoting = z.string().refine(() => false, { error: ({ input }) => `bad: ${input}` });
  try {
    readConfig(
      { key: secret('KEY', quoting, 'a key'), port: setting('PORT', integer(), 'a port') },
      { TANDEM_KEY: 'pl4nted', TANDEM_PORT: 'pl4nted' },
    );
    expect.unreachable();
  } catch (error) {
    expect((error as Error).message).toContain('TANDEM_KEY: bad: ***');
    expect((error as Error).message).not.toContain('pl4nted');
  }
});

test('secrets come from files too, but not from the command line', () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'config-'));
  try {
    const file = path.join(directory, 'secret');
    writeFileSync(file, 'from-a-file\n');
    expect(readConfig(shape, { TANDEM_TOKEN_SECRET_FILE: file }).tokenSecret).toBe('from-a-file');
    expect(faultsOf({ ...TOKEN, TANDEM_TOKEN_SECRET_FILE: file })).toEqual({
      TANDEM_TOKEN_SECRET_FILE: 'is set together with TANDEM_TOKEN_SECRET',
    });
    expect(faultsOf({ TANDEM_TOKEN_SECRET_FILE: path.join(directory, 'none') })).toEqual({
      TANDEM_TOKEN_SECRET_FILE: 'names a file that cannot be read (ENOENT)',
    });
  } finally {
    rmSync(directory, { recursive: true });
  }
  expect(faultsOf(TOKEN, ['--token-secret=x'])).toEqual({ '--token-secret': 'is not known here' });
});

test('settings are checked together once each is right', () => {
  const check: ReadConfigOptions<typeof shape>['check'] = ({ mode, redis }) =>
    mode === 'cluster' && !redis ? [{ where: 'TANDEM_REDIS_URL', reason: 'is needed in a cluster' }] : [];
  expect(faultsOf({ ...TOKEN, TANDEM_MODE: 'cluster' }, [], { check })).toEqual({
    TANDEM_REDIS_URL: 'is needed in a cluster',
  });
  expect(faultsOf({ ...TOKEN }, [], { check })).toEqual({});
});

test('what may be printed hides secrets and credentials in URLs', () => {
  const env = { ...TOKEN, TANDEM_REDIS_URL: 'redis://me:pass@host/1' };
  const printed = describeConfig(shape, readConfig(shape, env));
  expect(printed).toMatchObject({
    TANDEM_TOKEN_SECRET: '***',
    OPENAI_API_KEY: undefined,
    TANDEM_REDIS_URL: 'redis://***@host/1',
    TANDEM_MAX_BODY: 33_554_432,
  });
});

test('what a setting takes, by default, and whether it is needed', () => {
  expect(
    describeSettings(shape).map(({ variable, takes, required, ...rest }) => [
      variable,
      takes,
      rest.default,
      required,
    ]),
  ).toEqual([
    ['TANDEM_PORT', 'whole number, 0 to 65535', '8080', false],
    ['TANDEM_MAX_BODY', 'size, at most 1GiB', '32MiB', false],
    ['TANDEM_GRACE', 'duration, at least 1s', '30s', false],
    ['TANDEM_REDIS_URL', 'URL, redis:// or rediss://', undefined, false],
    ['TANDEM_MODE', '`memory`, `cluster`', 'memory', false],
    ['TANDEM_HOSTS', 'list separated by commas', undefined, false],
    ['TANDEM_DEBUG', '`true` or `false`', 'false', false],
    ['TANDEM_TOKEN_SECRET', 'text, 8 characters or more', undefined, true],
    ['OPENAI_API_KEY', 'text', undefined, false],
  ]);
});

test('help in plain text', () => {
  const { port, tokenSecret } = shape;
  expect(settingsHelp('A program.', [{ title: 'Settings', shape: { port, tokenSecret } }])).toMatch(
    /^A program\.\n[\s\S]*\n\nSettings:\n {2}TANDEM_PORT \(whole number, 0 to 65535; default 8080\)\n {6}the port; 0 is any\n {2}TANDEM_TOKEN_SECRET \(text, 8 characters or more; secret; required\)\n {6}signs$/,
  );
});
