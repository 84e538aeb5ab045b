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

/** An image as models read it. */
export function imagePart(data: Uint8Array, mediaType: string) {
  const base64 = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64');
  return { type: 'media', data: base64, mediaType } as const;
}

/** Foreign data for models: an image, or a note, since what they can't see makes providers refuse the whole conversation. */
export function dataPart(data: Uint8Array, toldType: string | undefined) {
  const mediaType = imageType(data);
  if (mediaType && data.length <= MAX_IMAGE_BYTES) return imagePart(data, mediaType);
  const note = `[Data of type ${toldType || 'unknown'}, ${data.length} bytes, is not shown.]`;
  return { type: 'text', text: note } as const;
}
