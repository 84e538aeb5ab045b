import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import {
  ENVELOPE_HEADER_BYTES,
  encodeEnvelope,
  encodeGzipEnvelope,
  encodeGzipEnvelopeAsync,
  FLAG_COMPRESSED,
} from '@tandem/proto';

const gunzipAsync = promisify(gunzip);

/** Frames of so many bytes and more are gzipped where the client takes that. */
const GZIP_MIN_BYTES = 1024;
/** From so many bytes on, zlib works on another thread. */
const ASYNC_MIN_BYTES = 32 * 1024;
const GZIP_LEVEL = 1;

/**
 * Makes one write of an entry's frames: their bytes as they are, large ones gzipped for a client that takes that,
 * gzipped ones unfolded for one that does not.
 */
export function encodeFrames(
  frames: readonly Uint8Array[],
  acceptsGzip: boolean,
): Uint8Array | Promise<Uint8Array> {
  const first = frames[0];
  if (frames.length === 1 && first && isReady(first, acceptsGzip)) return first;
  const encoded = frames.map((frame) => (isReady(frame, acceptsGzip) ? frame : recode(frame)));
  if (encoded.every((frame) => frame instanceof Uint8Array)) return Buffer.concat(encoded as Uint8Array[]);
  return Promise.all(encoded).then((ready) => Buffer.concat(ready));
}

function isReady(frame: Uint8Array, acceptsGzip: boolean): boolean {
  const compressed = ((frame[0] ?? 0) & FLAG_COMPRESSED) !== 0;
  if (compressed) return acceptsGzip;
  return !acceptsGzip || frame.length < GZIP_MIN_BYTES + ENVELOPE_HEADER_BYTES;
}

function recode(frame: Uint8Array): Uint8Array | Promise<Uint8Array> {
  const flags = frame[0] ?? 0;
  const payload = frame.subarray(ENVELOPE_HEADER_BYTES);
  if (flags & FLAG_COMPRESSED) {
    return gunzipAsync(payload).then((plain) => encodeEnvelope(plain, { flags: flags & ~FLAG_COMPRESSED }));
  }
  const options = { flags, minBytes: GZIP_MIN_BYTES, level: GZIP_LEVEL };
  return payload.length < ASYNC_MIN_BYTES
    ? encodeGzipEnvelope(payload, options)
    : encodeGzipEnvelopeAsync(payload, options);
}
