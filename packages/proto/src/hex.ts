/** Why a hex string was refused. */
export type HexFault = 'odd_length' | 'bad_digit';

/** A string that is no hex. The text never holds the string. */
export class HexError extends Error {
  override readonly name = 'HexError';
  readonly reason: HexFault;

  constructor(reason: HexFault, message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Decodes hex, upper or lower case, without prefix or blanks: what `BidiAppendRequest.data` holds.
 *
 * @throws {HexError} `odd_length`, `bad_digit`
 */
export function decodeHex(hex: string): Uint8Array<ArrayBuffer> {
  if (hex.length % 2 !== 0) throw new HexError('odd_length', `hex of odd length ${hex.length}`);
  // Node looks at the low byte of a character only: it takes U+0130 for "0".
  if (/[\u0100-\uffff]/.test(hex)) throw new HexError('bad_digit', 'hex with characters beyond Latin-1');
  const bytes = Buffer.from(hex, 'hex');
  // Node stops at the first pair that is no hex, and reports nothing.
  if (bytes.byteLength !== hex.length / 2) {
    throw new HexError('bad_digit', `no hex digits at position ${2 * bytes.byteLength}`);
  }
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Encodes bytes as lower-case hex. */
export function encodeHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
