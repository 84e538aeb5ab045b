export {
  issueRefusedToken,
  issueToken,
  type TokenSubject,
  type TokenTime,
  type VerifiedToken,
  verifyToken,
} from './access-token.ts';
export { generateKey, hashKey, isWellFormedKey } from './api-key.ts';
export { createKeyRing, type KeyRing, type RingKey } from './key-ring.ts';
