import { SignJWT, UnsecuredJWT } from 'jose';
import { expect, test } from 'vitest';
import { issueRefusedToken, issueToken, verifyToken } from './access-token.ts';
import { createKeyRing } from './key-ring.ts';

const OLD = 'o'.repeat(32);
const NEW = 'n'.repeat(32);
const ring = createKeyRing({ current: NEW });
const NOW = Date.UTC(2026, 5, 1);
const ALICE = { ownerId: 'alice', keyId: 'laptop', ttlMs: 60_000, now: NOW };

const refusal = (reason: string) =>
  expect.objectContaining({ reason, code: 'unauthenticated', retryable: false });

test('a token says whom it speaks for, until it expires', async () => {
  const token = await issueToken(ALICE, ring);
  const expected = { ownerId: 'alice', keyId: 'laptop', expiresAt: NOW + 60_000 };
  expect(await verifyToken(token, ring, NOW)).toEqual(expected);
  expect(await verifyToken(token, ring, NOW + 59_000)).toEqual(expected);
  await expect(verifyToken(token, ring, NOW + 60_000)).rejects.toEqual(refusal('token_expired'));
});

test('a previous secret still counts, a removed one does not, and new tokens are signed with the current one', async () => {
  const old = await issueToken(ALICE, createKeyRing({ current: OLD }));
  const both = createKeyRing({ current: NEW, previous: [OLD] });
  expect(await verifyToken(old, both, NOW)).toMatchObject({ ownerId: 'alice' });
  await expect(verifyToken(old, ring, NOW)).rejects.toEqual(refusal('bad_key'));
  expect(await verifyToken(await issueToken(ALICE, both), ring, NOW)).toMatchObject({ ownerId: 'alice' });
});

test('the token of a refused key is refused', async () => {
  const token = await issueRefusedToken({ ttlMs: 60_000, now: NOW }, ring);
  await expect(verifyToken(token, ring, NOW)).rejects.toEqual(refusal('bad_key'));
});

const header = { alg: 'HS256', kid: ring.current.id };
const claims = { sub: 'alice', key: 'laptop', iss: 'tandem', aud: 'tandem', exp: NOW / 1000 + 60 };
const forge = (changes: object, secret = ring.current.key) =>
  new SignJWT({ ...claims, ...changes }).setProtectedHeader(header).sign(secret);

test('forgeries start from a token that is good', async () => {
  expect(await verifyToken(await forge({}), ring, NOW)).toMatchObject({ ownerId: 'alice' });
});

test.each<[string, () => string | Promise<string>]>([
  ['nothing', () => ''],
  ['no token', () => 'abc.def.ghi'],
  ['no signature', () => new UnsecuredJWT(claims).encode()],
  ['another secret under the same name', () => forge({}, createKeyRing({ current: OLD }).current.key)],
  ['no secret’s name', () => new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(ring.current.key)],
  [
    'another algorithm',
    () => new SignJWT(claims).setProtectedHeader({ ...header, alg: 'HS512' }).sign(Buffer.alloc(64)),
  ],
  ['another issuer', () => forge({ iss: 'x' })],
  ['another audience', () => forge({ aud: 'x' })],
  ['no end', () => forge({ exp: undefined })],
  ['no key id', () => forge({ key: undefined })],
  ['a key id that is no text', () => forge({ key: 7 })],
])('a token with %s is refused', async (_, make) => {
  await expect(verifyToken(await make(), ring, NOW)).rejects.toEqual(refusal('bad_key'));
});

test('a changed token is refused', async () => {
  const token = await issueToken(ALICE, ring);
  const [head, , signature] = token.split('.');
  const body = Buffer.from(JSON.stringify({ ...claims, sub: 'bob' })).toString('base64url');
  await expect(verifyToken(`${head}.${body}.${signature}`, ring, NOW)).rejects.toEqual(refusal('bad_key'));
});

test('a short secret is a fault of the configuration, and is not quoted', () => {
  expect(() => createKeyRing({ current: 'short' })).toThrow('must be 32 or more bytes');
  expect(() => createKeyRing({ current: NEW, previous: ['short'] })).toThrow(
    expect.not.stringContaining('short'),
  );
});
