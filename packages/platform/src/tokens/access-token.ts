import { TandemError } from '@tandem/errors';
import { errors, jwtVerify, SignJWT } from 'jose';
import type { KeyRing } from './key-ring.ts';

const ALGORITHM = 'HS256';
const ISSUER = 'tandem';
const AUDIENCE = 'tandem';

/** Whom a token speaks for: a user, and the key that it was exchanged for. */
export interface TokenSubject {
  ownerId: string;
  keyId: string;
}

/** What a verified token says. Whether its key is still valid is the user directory's to say. */
export interface VerifiedToken extends TokenSubject {
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** How long a token lives, and what time it is, both in milliseconds. */
export interface TokenTime {
  ttlMs: number;
  now?: number;
}

/** Makes the token that a client gets for its key. Its times have a resolution of a second, as JWTs do. */
export function issueToken(
  { ownerId, keyId, ...time }: TokenSubject & TokenTime,
  ring: KeyRing,
): Promise<string> {
  return sign({ sub: ownerId, key: keyId }, time, ring);
}

/**
 * Makes a token that nobody accepts. The exchange answers every key with a token, because clients tell their users
 * nothing useful when it fails; what comes with this token is then refused as `bad_key`, which they do tell.
 */
export function issueRefusedToken(time: TokenTime, ring: KeyRing): Promise<string> {
  return sign({ refused: true }, time, ring);
}

function sign(
  claims: Record<string, unknown>,
  { ttlMs, now = Date.now() }: TokenTime,
  ring: KeyRing,
): Promise<string> {
  const seconds = Math.floor(now / 1000);
  return new SignJWT(claims)
    .setProtectedHeader({ alg: ALGORITHM, kid: ring.current.id, typ: 'JWT' })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + Math.ceil(ttlMs / 1000))
    .sign(ring.current.key);
}

/**
 * Checks a token's signature, issuer, audience and time.
 *
 * @param now milliseconds since 1970
 * @throws {TandemError} `token_expired`; `bad_key` for everything else that is wrong with it
 */
export async function verifyToken(
  token: string,
  ring: KeyRing,
  now: number = Date.now(),
): Promise<VerifiedToken> {
  try {
    const { payload } = await jwtVerify(token, ({ kid }) => keyFor(kid, ring), {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience: AUDIENCE,
      currentDate: new Date(now),
      requiredClaims: ['exp', 'sub', 'key'],
    });
    const { sub, key, exp } = payload;
    if (typeof sub !== 'string' || typeof key !== 'string' || exp === undefined)
      throw new TandemError('bad_key');
    return { ownerId: sub, keyId: key, expiresAt: exp * 1000 };
  } catch (error) {
    if (TandemError.isInstance(error)) throw error;
    if (error instanceof errors.JWTExpired)
      throw new TandemError('token_expired', { message: 'token has expired' });
    if (!(error instanceof errors.JOSEError)) throw TandemError.from(error);
    // Not as cause: jose's errors carry the token's claims.
    throw new TandemError('bad_key', { message: `token refused: ${error.code}` });
  }
}

function keyFor(kid: string | undefined, ring: KeyRing) {
  const found = kid === undefined ? undefined : ring.byId.get(kid);
  if (!found)
    throw new TandemError('bad_key', { message: 'token is signed with a secret that is not known' });
  return found.key;
}
