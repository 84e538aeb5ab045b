const SIGNATURES: readonly (readonly [string, readonly number[]])[] = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]],
];

/** The media type of an image that models can see, by its first bytes. */
export function imageType(data: Uint8Array): string | undefined {
  const found = SIGNATURES.find(([, bytes]) => bytes.every((byte, index) => data[index] === byte));
  if (found) return found[0];
  const ascii = (from: number, to: number) => String.fromCharCode(...data.subarray(from, to));
  return ascii(0, 4) === 'RIFF' && ascii(8, 12) === 'WEBP' ? 'image/webp' : undefined;
}

/** Providers take images of about this size. */
export const MAX_IMAGE_BYTES = 5 * 1024 * 1024;

export function base64(data: Uint8Array): string {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64');
}
