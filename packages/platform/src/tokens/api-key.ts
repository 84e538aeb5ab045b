import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Without i, l, o and u, which are misread or spell words. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const RANDOM_BYTES = 32;
/** 256 bits at 5 a character, rounded up. */
const RANDOM_LENGTH = 52;
/** 32 bits at 5 a character, rounded up. */
const CHECKSUM_LENGTH = 7;
const FORMAT = new RegExp(`^tk_[${ALPHABET}]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

/**
 * Makes a new API key: `tk_`, 256 random bits, and a checksum by which typing errors show without a look-up.
 *
 * @param random gives that many random bytes
 */
export function generateKey(random: (bytes: number) => Uint8Array = randomBytes): string {
  const body = encode(BigInt(`0x${Buffer.from(random(RANDOM_BYTES)).toString('hex')}`), RANDOM_LENGTH);
  return `tk_${body}${checksum(body)}`;
}

/** Whether a text has the form of a generated key and its checksum fits. Says nothing about whether it is known. */
export function isWellFormedKey(key: string): boolean {
  if (!FORMAT.test(key)) return false;
  const body = key.slice(3, 3 + RANDOM_LENGTH);
  return key.slice(3 + RANDOM_LENGTH) === checksum(body);
}

/**
 * What is kept of a key: its SHA-256, as 64 hex digits. A fast hash is right for keys of high entropy, which cannot be
 * guessed however fast each guess is; and a look-up by it takes the same time however much of a guess is right.
 */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex');
}

function checksum(body: string): string {
  return encode(BigInt(crc32(body)), CHECKSUM_LENGTH);
}

function encode(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest >>= 5n) text = ALPHABET[Number(rest & 31n)] + text;
  return text;
}
