import type { Clock } from '@tandem/actor-core';
import { TandemError } from '@tandem/errors';
import {
  issueRefusedToken,
  issueToken,
  type KeyOwner,
  type KeyRing,
  type UserDirectory,
  type VerifiedToken,
  verifyToken,
} from '@tandem/platform';
import { header, type Request } from '../server/exchange.ts';

export interface AuthDeps {
  readonly users: UserDirectory;
  readonly tokens: KeyRing;
  readonly clock: Clock;
  readonly tokenTtlMs: number;
}

/** Verified tokens that are remembered, so that a heartbeat does not cost a signature check. */
const MAX_REMEMBERED = 10_000;

/** Knows who is behind a request. A key that was revoked is refused at the next call, token or not. */
export class Authenticator {
  readonly #deps: AuthDeps;
  readonly #verified = new Map<string, VerifiedToken>();

  constructor(deps: AuthDeps) {
    this.#deps = deps;
  }

  /**
   * Who sends this request, by its access token or API key.
   * @throws TandemError bad_key, token_expired
   */
  async identify(request: Request): Promise<KeyOwner> {
    return this.identifyBearer(header(request, 'authorization'));
  }

  /** As `identify`, by the value of an `authorization` header. */
  async identifyBearer(authorization: string | undefined | null): Promise<KeyOwner> {
    const credential = bearerOf(authorization);
    if (!credential.startsWith('eyJ')) return this.identifyKey(authorization);
    const { ownerId, keyId } = await this.#verify(credential);
    const owner = this.#deps.users.findByKeyId(ownerId, keyId);
    if (!owner) throw new TandemError('bad_key', { message: 'the key of the token is not valid any more' });
    return owner;
  }

  /** Who sends this request, by its API key alone. @throws TandemError bad_key */
  identifyKey(authorization: string | undefined | null): KeyOwner {
    const owner = this.#deps.users.findByKey(bearerOf(authorization));
    if (!owner) throw new TandemError('bad_key', { message: 'the key is not known' });
    return owner;
  }

  /**
   * An access token for an API key. Every key gets one: clients tell their users nothing useful when the exchange fails,
   * and much when what comes next does (docs/protocol.md, 2).
   */
  async exchange(authorization: string | undefined | null): Promise<string> {
    const { users, tokens, clock, tokenTtlMs } = this.#deps;
    const time = { ttlMs: tokenTtlMs, now: clock.now() };
    const owner = authorization
      ? users.findByKey(authorization.replace(/^Bearer\s+/i, '').trim())
      : undefined;
    if (!owner) return issueRefusedToken(time, tokens);
    return issueToken({ ownerId: owner.ownerId, keyId: owner.keyId, ...time }, tokens);
  }

  async #verify(token: string): Promise<VerifiedToken> {
    const now = this.#deps.clock.now();
    const known = this.#verified.get(token);
    if (known && known.expiresAt > now) return known;
    this.#verified.delete(token);
    const verified = await verifyToken(token, this.#deps.tokens, now);
    this.#remember(token, verified);
    return verified;
  }

  #remember(token: string, verified: VerifiedToken): void {
    if (this.#verified.size >= MAX_REMEMBERED) {
      for (const oldest of this.#verified.keys()) {
        this.#verified.delete(oldest);
        break;
      }
    }
    this.#verified.set(token, verified);
  }
}

/** The credential of an `authorization: Bearer …` header. @throws TandemError bad_key when there is none */
function bearerOf(authorization: string | undefined | null): string {
  const credential = /^Bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1];
  if (!credential) throw new TandemError('bad_key', { title: 'No API key or access token was sent.' });
  return credential;
}
