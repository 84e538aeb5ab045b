import { expect, test } from 'vitest';
import { hashKey } from '../tokens/api-key.ts';
import { singleUser } from './load-users.ts';
import { createUserDirectory } from './user-directory.ts';

const key = (id: string, secret: string, more: object = {}) => ({
  id,
  sha256: hashKey(secret),
  disabled: false,
  ...more,
});

test('a key and its id lead to its user', () => {
  const directory = createUserDirectory([
    { id: 'alice', name: 'Alice', groups: ['staff'], keys: [key('laptop', 'k1'), key('desk', 'k2')] },
    { id: 'bob', groups: [], keys: [key('laptop', 'k3')] },
  ]);
  const laptop = { ownerId: 'alice', keyId: 'laptop', name: 'Alice', groups: ['staff'] };
  expect(directory.findByKey('k1')).toEqual(laptop);
  expect(directory.findByKeyId('alice', 'laptop')).toEqual(laptop);
  expect(directory.findByKey('k3')).toMatchObject({ ownerId: 'bob', keyId: 'laptop' });
  expect(directory.findByKeyId('bob', 'desk')).toBeUndefined();
  for (const wrong of ['', 'k4', hashKey('k1')]) expect(directory.findByKey(wrong)).toBeUndefined();
  expect(directory.size).toBe(2);
});

test('disabled and expired keys lead nowhere, by key and by id', () => {
  let now = 999;
  const keys = [key('off', 'k1', { disabled: true }), key('short', 'k2', { expires: 1000 })];
  const directory = createUserDirectory([{ id: 'alice', groups: [], keys }], () => now);
  expect(directory.findByKey('k1') ?? directory.findByKeyId('alice', 'off')).toBeUndefined();
  expect(directory.findByKey('k2')).toEqual(directory.findByKeyId('alice', 'short'));
  expect(directory.findByKey('k2')).toMatchObject({ keyId: 'short' });
  now = 1000;
  expect(directory.findByKey('k2') ?? directory.findByKeyId('alice', 'short')).toBeUndefined();
});

test('another key of the single user has another id, which ends the former key’s tokens', () => {
  const [before, after] = [
    createUserDirectory([singleUser('one')]),
    createUserDirectory([singleUser('two')]),
  ];
  const owner = before.findByKey('one');
  expect(owner?.ownerId).toBe('default');
  expect(before.findByKeyId('default', owner?.keyId ?? '')).toEqual(owner);
  expect(after.findByKeyId('default', owner?.keyId ?? '')).toBeUndefined();
});
