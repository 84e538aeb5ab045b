import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createUserDirectory, parseUsersFile } from '@tandem/platform';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Surroundings, usersCommand } from './users-command.ts';

const NOW = Date.parse('2031-05-01T12:00:00Z');
const KEY = /tk_[0-9a-z]{59}/;

let folder: string;
let file: string;
let out: string;
let errors: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'admin-'));
  file = join(folder, 'users.yaml');
  out = '';
  errors = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

function run(args: string, more: Partial<Surroundings> = {}): string {
  out = '';
  usersCommand(args.split(' '), {
    usersFile: file,
    auditFile: undefined,
    actor: 'root',
    now: () => NOW,
    stdout: (text) => {
      out += text;
    },
    stderr: (line) => errors.push(line),
    stdin: () => '',
    ...more,
  });
  return out;
}

const keyIn = (text: string) => KEY.exec(text)?.[0] ?? '';
const ownerOf = (key: string) => {
  const { groups, users } = parseUsersFile(readFileSync(file, 'utf8'));
  return createUserDirectory(users, () => NOW, groups).findByKey(key);
};

test('a key is shown once, kept as a hash, and works until it is revoked', () => {
  const key = keyIn(run('add alice --name Alice --key laptop'));
  expect(ownerOf(key)).toMatchObject({ ownerId: 'alice', keyId: 'laptop', name: 'Alice' });
  expect(readFileSync(file, 'utf8')).not.toContain(key);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(run('list')).not.toMatch(KEY);
  expect(out).toMatch(/alice +laptop/);
  run('revoke alice');
  expect(ownerOf(key)).toBeUndefined();
  expect(run('list')).toContain('laptop (revoked)');
});

test('a rotated key ends at once, or after its grace', () => {
  const first = keyIn(run('add alice'));
  const second = keyIn(run('rotate alice'));
  expect([ownerOf(first), ownerOf(second)?.keyId]).toEqual([undefined, 'key.2']);
  const third = keyIn(run('rotate alice --grace 24h --expires 90d'));
  expect([ownerOf(second)?.keyId, ownerOf(third)?.keyId]).toEqual(['key.2', 'key.3']);
  expect(run('list')).toContain('key.2 (until 2031-05-02T12:00Z), key.3 (until 2031-07-30T12:00Z)');
});

test('each change leaves an audit line: who, what, when, which key, and never the key', () => {
  const audit = join(folder, 'audit.jsonl');
  const key = keyIn(run('add alice', { auditFile: audit }));
  run(`rotate alice --audit ${audit}`);
  run('revoke alice', { auditFile: audit });
  const lines = readFileSync(audit, 'utf8').trim().split('\n');
  expect(lines).toEqual(errors);
  const common = { time: '2031-05-01T12:00:00.000Z', actor: 'root', user: 'alice' };
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { ...common, action: 'user_added' },
    { ...common, action: 'key_added', key: 'key' },
    { ...common, action: 'key_added', key: 'key.2' },
    { ...common, action: 'key_revoked', key: 'key' },
    { ...common, action: 'key_revoked', key: 'key.2' },
  ]);
  expect(lines.join()).not.toContain(key);
});

test('without its audit log nothing is changed', () => {
  expect(() => run(`add alice --audit ${folder}`)).toThrow('EISDIR');
  expect(existsSync(file)).toBe(false);
});

test('--print writes the new file to standard output and the key to a file of its own', () => {
  const keyFile = join(folder, 'alice.key');
  const text = run(`add alice --file - --print --key-file ${keyFile}`, {
    stdin: () => 'users:\n  # ours\n  - { id: bob, keys: [] }\n',
  });
  expect(text).toContain('users:\n  # ours\n  - { id: bob, keys: [] }\n');
  expect(text).not.toMatch(KEY);
  expect(parseUsersFile(text).users.map(({ id }) => id)).toEqual(['bob', 'alice']);
  expect(statSync(keyFile).mode & 0o777).toBe(0o600);
  writeFileSync(file, text);
  expect(ownerOf(keyIn(readFileSync(keyFile, 'utf8')))).toMatchObject({ ownerId: 'alice' });
  expect(() => run('rotate alice --print')).toThrow('--key-file');
  expect(() => run('add carol --file -')).toThrow('--print');
});

test('the file that a link names is replaced, keeps its mode, and is edited by one at a time', () => {
  const target = join(folder, 'real.yaml');
  writeFileSync(target, 'users: []\n', { mode: 0o640 });
  symlinkSync('real.yaml', file);
  run('add alice');
  expect(parseUsersFile(readFileSync(target, 'utf8')).users).toHaveLength(1);
  expect(statSync(target).mode & 0o777).toBe(0o640);
  const before = readFileSync(target, 'utf8');
  writeFileSync(`${target}.new`, '');
  expect(() => run('add bob')).toThrow('another edit is under way');
  rmSync(`${target}.new`);
  expect(() => run('add alice --key key')).toThrow('already');
  expect(readFileSync(target, 'utf8')).toBe(before);
  expect(existsSync(`${target}.new`)).toBe(false);
});

test.each([
  ['frobnicate alice', 'list, add, revoke and rotate'],
  ['add', 'name the user'],
  ['add alice bob', 'one user at a time'],
  ['add alice --expires soon', '--expires takes'],
  ['add alice --colour red', 'colour'],
])('tandem users %s is explained', (args, message) => {
  expect(() => run(args)).toThrow(message);
});
