import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLogger } from '../log/logger.ts';
import { hashKey } from '../tokens/api-key.ts';
import { type LiveUserDirectory, type LoadUsersOptions, loadUsers } from './load-users.ts';

let directory: string;
let users: LiveUserDirectory | undefined;
let lines: string[];
let outcomes: string[];

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'users-'));
  lines = [];
  outcomes = [];
});
afterEach(() => {
  users?.close();
  users = undefined;
  vi.useRealTimers();
  rmSync(directory, { recursive: true });
});

const fileOf = (key: string, owner = 'alice') =>
  `users: [{ id: ${owner}, keys: [{ id: k, sha256: ${hashKey(key)} }] }]`;

async function load(options: Partial<LoadUsersOptions>): Promise<LiveUserDirectory> {
  const log = createLogger({ service: 'test', destination: { write: (line) => void lines.push(line) } });
  users = await loadUsers({ pollMs: 5000, log, onReload: (outcome) => outcomes.push(outcome), ...options });
  return users;
}

test('a changed file is taken over: new keys count, removed ones no longer do', async () => {
  const file = path.join(directory, 'users.yaml');
  writeFileSync(file, fileOf('one'));
  const live = await load({ file });
  expect(live.findByKey('one')).toMatchObject({ ownerId: 'alice' });
  expect(await live.reload()).toBe('unchanged');
  writeFileSync(file, fileOf('two', 'bob'));
  expect(await live.reload()).toBe('reloaded');
  expect(live.findByKey('one') ?? live.findByKeyId('alice', 'k')).toBeUndefined();
  expect(live.findByKey('two')).toMatchObject({ ownerId: 'bob' });
  expect(outcomes).toEqual(['reloaded']);
});

test('a config map’s swap of symbolic links is seen', async () => {
  for (const [version, key] of ['one', 'two'].entries()) {
    mkdirSync(path.join(directory, `v${version}`));
    writeFileSync(path.join(directory, `v${version}`, 'users.yaml'), fileOf(key));
  }
  symlinkSync('v0', path.join(directory, '..data'));
  symlinkSync(path.join('..data', 'users.yaml'), path.join(directory, 'users.yaml'));
  const live = await load({ file: path.join(directory, 'users.yaml') });
  expect(live.findByKey('one')).toBeDefined();
  symlinkSync('v1', path.join(directory, '..data_tmp'));
  renameSync(path.join(directory, '..data_tmp'), path.join(directory, '..data'));
  expect(await live.reload()).toBe('reloaded');
  expect(live.findByKey('two')).toBeDefined();
});

test('an unfit or missing file changes nothing, is told once, and a fit one is taken over again', async () => {
  const file = path.join(directory, 'users.yaml');
  writeFileSync(file, fileOf('one'));
  const live = await load({ file });
  writeFileSync(file, 'users: 7');
  expect(await live.reload()).toBe('rejected');
  expect(await live.reload()).toBe('unchanged');
  expect(live.findByKey('one')).toBeDefined();
  expect(lines.filter((line) => line.includes('unfit'))).toHaveLength(1);
  unlinkSync(file);
  expect(await live.reload()).toBe('rejected');
  expect(await live.reload()).toBe('unchanged');
  expect(live.findByKey('one')).toBeDefined();
  writeFileSync(file, fileOf('one'));
  expect(await live.reload()).toBe('reloaded');
  expect(outcomes).toEqual(['rejected', 'rejected', 'reloaded']);
});

test('an unfit file at the start is refused, and so is no user at all', async () => {
  const file = path.join(directory, 'users.yaml');
  await expect(load({ file })).rejects.toThrow('cannot be read (ENOENT)');
  writeFileSync(file, 'users: 7');
  await expect(load({ file })).rejects.toThrow('users');
  await expect(load({})).rejects.toThrow('neither a file of users nor an API key');
});

test('a single key is enough, and goes together with a file unless that names the same user', async () => {
  expect((await load({ apiKey: 'single' })).findByKey('single')).toMatchObject({ ownerId: 'default' });
  expect(await users?.reload()).toBe('unchanged');
  const file = path.join(directory, 'users.yaml');
  writeFileSync(file, fileOf('one'));
  const both = await load({ file, apiKey: 'single' });
  expect([both.findByKey('single')?.ownerId, both.findByKey('one')?.ownerId]).toEqual(['default', 'alice']);
  writeFileSync(file, fileOf('one', 'default'));
  expect(await both.reload()).toBe('rejected');
});

test('the file is looked at again and again until closed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const file = path.join(directory, 'users.yaml');
  writeFileSync(file, fileOf('one'));
  const seen = Promise.withResolvers<void>();
  const live = await load({ file, onReload: () => seen.resolve() });
  writeFileSync(file, fileOf('two'));
  vi.advanceTimersByTime(4999);
  expect(live.findByKey('two')).toBeUndefined();
  vi.advanceTimersByTime(1);
  await seen.promise;
  expect(live.findByKey('two')).toBeDefined();
  live.close();
  await Promise.resolve();
  expect(vi.getTimerCount()).toBe(0);
});
