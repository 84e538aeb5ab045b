import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { ConfigError } from '../config/config-error.ts';

/** The fewest bytes of a signing secret: as many as the hash has (RFC 7518, 3.2). */
const MIN_SECRET_BYTES = 32;

/** A signing secret and the name that tokens call it by. */
export interface RingKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** The secrets that tokens are signed with: the current one, and earlier ones whose tokens still count. */
export interface KeyRing {
  readonly current: RingKey;
  readonly byId: ReadonlyMap<string, RingKey>;
}

/**
 * Makes a key ring. To replace a secret without signing anybody out: make the old one `previous` for as long as tokens live.
 *
 * @throws {ConfigError} when a secret is shorter than 32 bytes
 */
export function createKeyRing(secrets: { current: string; previous?: readonly string[] }): KeyRing {
  const current = ringKey(secrets.current);
  const previous = (secrets.previous ?? []).map(ringKey);
  return { current, byId: new Map([...previous, current].map((key) => [key.id, key])) };
}

function ringKey(secret: string): RingKey {
  if (Buffer.byteLength(secret) < MIN_SECRET_BYTES) {
    throw new ConfigError([{ where: 'token secret', reason: `must be ${MIN_SECRET_BYTES} or more bytes` }]);
  }
  // Keyed by the secret itself, the name tells nothing about it.
  const id = createHmac('sha256', secret).update('tandem key id').digest('base64url').slice(0, 10);
  return { id, key: createSecretKey(secret, 'utf8') };
}
