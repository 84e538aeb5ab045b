import { hash } from 'node:crypto';

/** Names a turn: `owner` is the hash of a user's id, `turn` a request id fit for a subject. Build with `turnKey`. */
export interface TurnKey {
  readonly owner: string;
  readonly turn: string;
}

/** Subjects are spread over this many tokens, for good: changing it would lose every stored turn. */
export const TOKENS = 64;

const PLAIN_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** The 22-character hash by which subjects name a user. */
export function ownerHash(ownerId: string): string {
  return hash('sha256', ownerId, 'base64url').slice(0, 22);
}

/** A client's id as a subject token: itself when plain, else a hash that no plain id equals. */
export function idToken(id: string): string {
  return PLAIN_ID.test(id) ? id : `~${hash('sha256', id, 'base64url')}`;
}

/**
 * The key of the turn that a request belongs to.
 * @param ownerId the configured user's immutable id
 * @param originalRequestId the request id of the turn's first attempt
 */
export function turnKey(ownerId: string, originalRequestId: string): TurnKey {
  return { owner: ownerHash(ownerId), turn: idToken(originalRequestId) };
}

function token(owner: string, name: string): string {
  const digest = hash('sha256', `${owner}.${name}`, 'hex');
  return String(Number.parseInt(digest.slice(0, 4), 16) % TOKENS);
}

/** The subject of a turn's command log. */
export function commandSubject(key: TurnKey): string {
  return `cmd.${token(key.owner, key.turn)}.${key.owner}.${key.turn}`;
}

/** The subject of a turn's journal. */
export function journalSubject(key: TurnKey): string {
  return `evt.${token(key.owner, key.turn)}.${key.owner}.${key.turn}`;
}

/** The subject that holds a conversation's active turn. */
export function conversationSubject(owner: string, conversationId: string): string {
  const name = idToken(conversationId);
  return `conv.${token(owner, name)}.${owner}.${name}`;
}

/** Where an actor's pulses go. */
export function pulseSubject(key: TurnKey): string {
  return `pulse.${key.owner}.${key.turn}`;
}

/** Where gateways announce the readers of a turn. */
export function presenceSubject(key: TurnKey): string {
  return `presence.${key.owner}.${key.turn}`;
}
