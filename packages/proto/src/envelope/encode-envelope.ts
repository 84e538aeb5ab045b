import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';

/** Bytes before each payload: one of flags, four of length (big endian). Connect protocol, "Streaming RPCs". */
export const ENVELOPE_HEADER_BYTES = 5;

/** The payload is compressed, with the encoding that the stream's headers name; here always gzip. */
export const FLAG_COMPRESSED = 0x01;

/** The payload is the JSON that ends a stream of a server; nothing may follow. */
export const FLAG_END_STREAM = 0x02;

const gzipAsync = promisify(gzip);

/** Options of {@link encodeEnvelope}. */
export interface EncodeOptions {
  /** Flags of the envelope, 0 by default. */
  flags?: number;
}

/** Options of {@link encodeGzipEnvelope}. */
export interface EncodeGzipOptions extends EncodeOptions {
  /** Payloads below this many bytes stay plain. */
  minBytes: number;
  /** The zlib level, 1 (fast) to 9 (small); zlib's default when absent. */
  level?: number;
}

/**
 * Wraps a payload in a Connect envelope: flags, length, payload.
 *
 * @param payload up to 4 GiB; already compressed if the flags say so
 * @returns new bytes, sharing no memory with the payload
 */
export function encodeEnvelope(
  payload: Uint8Array,
  { flags = 0 }: EncodeOptions = {},
): Uint8Array<ArrayBuffer> {
  const envelope = new Uint8Array(ENVELOPE_HEADER_BYTES + payload.byteLength);
  envelope[0] = flags;
  new DataView(envelope.buffer).setUint32(1, payload.byteLength);
  envelope.set(payload, ENVELOPE_HEADER_BYTES);
  return envelope;
}

/**
 * Wraps a payload, gzipped when it has `minBytes` or more and gzip makes it smaller. Blocks for the time of the
 * compression (tens of milliseconds a megabyte): large payloads are for {@link encodeGzipEnvelopeAsync}.
 */
export function encodeGzipEnvelope(payload: Uint8Array, options: EncodeGzipOptions): Uint8Array<ArrayBuffer> {
  if (payload.byteLength < options.minBytes) return encodeEnvelope(payload, options);
  return encodeSmaller(payload, gzipSync(payload, { level: options.level }), options);
}

/** As {@link encodeGzipEnvelope}, compressing on zlib's thread pool. The payload must not change meanwhile. */
export async function encodeGzipEnvelopeAsync(
  payload: Uint8Array,
  options: EncodeGzipOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  if (payload.byteLength < options.minBytes) return encodeEnvelope(payload, options);
  return encodeSmaller(payload, await gzipAsync(payload, { level: options.level }), options);
}

function encodeSmaller(plain: Uint8Array, zipped: Uint8Array, { flags = 0 }: EncodeOptions) {
  if (zipped.byteLength >= plain.byteLength) return encodeEnvelope(plain, { flags });
  return encodeEnvelope(zipped, { flags: flags | FLAG_COMPRESSED });
}
