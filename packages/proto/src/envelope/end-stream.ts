import { encodeEnvelope, FLAG_END_STREAM } from './encode-envelope.ts';
import { EnvelopeError } from './envelope-error.ts';

/** One detail of an error: a protobuf message by its full type name, as binary. */
export interface EndStreamDetail {
  type: string;
  value: Uint8Array;
}

/** The error that a stream ended with; `code` is a Connect code such as `unavailable`. */
export interface EndStreamError {
  code: string;
  message?: string;
  details?: readonly EndStreamDetail[];
}

/** How a stream ends: well, unless there is an error; with trailing metadata, if any. */
export interface EndStream {
  error?: EndStreamError;
  metadata?: Readonly<Record<string, readonly string[]>>;
}

/** An EndStream as received. `code` is absent when the stream ended well, and only then. */
export interface ParsedEndStream {
  code?: string;
  message?: string;
  details: EndStreamDetail[];
  metadata: Record<string, string[]>;
}

/** The envelope that ends a stream of a server. Connect protocol, "EndStreamResponse". */
export function encodeEndStream(end: EndStream = {}): Uint8Array<ArrayBuffer> {
  return encodeEnvelope(Buffer.from(JSON.stringify(toJson(end))), { flags: FLAG_END_STREAM });
}

function toJson({ error, metadata }: EndStream) {
  const json: Record<string, unknown> = {};
  if (error) {
    const details = error.details?.map(({ type, value }) => ({ type, value: toRawBase64(value) }));
    // The protocol asks for base64 without padding, and for the members to be absent rather than empty.
    json.error = {
      code: error.code,
      message: error.message || undefined,
      details: details?.length ? details : undefined,
    };
  }
  if (metadata && Object.keys(metadata).length > 0) json.metadata = metadata;
  return json;
}

function toRawBase64(bytes: Uint8Array) {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64').replace(/=+$/, '');
}

/**
 * Reads the payload of an EndStream envelope (decompressed). Unknown members and malformed details are passed
 * over, as the protocol asks of a client; an error without a code is `unknown`.
 *
 * @throws {EnvelopeError} `bad_end_stream` when it is not a JSON object, or its error or metadata are no objects
 */
export function parseEndStream(payload: Uint8Array): ParsedEndStream {
  const { error, metadata } = parseObject(payload);
  const parsed: ParsedEndStream = { details: [], metadata: {} };
  if (metadata !== undefined && metadata !== null) {
    for (const [key, values] of Object.entries(asObject(metadata, 'metadata'))) {
      if (Array.isArray(values)) parsed.metadata[key] = values.filter((value) => typeof value === 'string');
    }
  }
  if (error !== undefined && error !== null) {
    const { code, message, details } = asObject(error, 'error');
    parsed.code = typeof code === 'string' && code !== '' ? code : 'unknown';
    if (typeof message === 'string') parsed.message = message;
    if (Array.isArray(details)) parsed.details = details.flatMap(parseDetail);
  }
  return parsed;
}

function parseObject(payload: Uint8Array) {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload));
  } catch {
    // No cause: a JSON syntax error quotes the payload.
    throw new EnvelopeError('bad_end_stream', 'EndStream is not JSON');
  }
  return asObject(json, 'payload');
}

function asObject(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw new EnvelopeError('bad_end_stream', `EndStream ${what} is not an object`);
}

function parseDetail(detail: unknown): EndStreamDetail[] {
  if (typeof detail !== 'object' || detail === null) return [];
  const { type, value } = detail as Record<string, unknown>;
  if (typeof type !== 'string' || typeof value !== 'string') return [];
  return [{ type, value: new Uint8Array(Buffer.from(value, 'base64')) }];
}
