import type { KeyOwner, ModelListing } from '@tandem/platform';

export interface SmallRpcDeps {
  /** Who is behind an `authorization` header. @throws TandemError bad_key, token_expired */
  identify(authorization: string | null): Promise<KeyOwner>;
  /** The models that a user may choose from, the default one first. */
  listing(owner: KeyOwner): readonly ModelListing[];
  readonly http2Config: number;
  /** Milliseconds since the epoch. */
  now(): number;
}
