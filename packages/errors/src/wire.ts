import { create, toBinary, toJson } from '@bufbuild/protobuf';
import { ConnectError } from '@connectrpc/connect';
import { aiserver } from '@tandem/proto';
import { CONNECT_CODES, type ConnectCode } from './connect-code.ts';
import { REASONS } from './reasons.ts';
import { TandemError } from './tandem-error.ts';

const { ErrorDetailsSchema } = aiserver;

/** An error as `encodeEndStream` of the wire package takes it. */
export interface StreamError {
  code: ConnectCode;
  message: string;
  details: { type: string; value: Uint8Array }[];
}

/** An error as it stands in Connect's JSON: the body of a unary answer, or `error` of an EndStream. */
export interface ConnectErrorJson {
  code: ConnectCode;
  message: string;
  /** `value` is unpadded base64; `debug` is the same detail as protobuf JSON, for a person with curl. */
  details: { type: string; value: string; debug: unknown }[];
}

/**
 * What clients read of an error: title and detail for the user, and whether to send the request again. Both
 * `is_retryable` and the error number are always set, since `is_retryable = false` alone does not stop a client.
 * Anything that is no TandemError becomes a neutral internal fault.
 */
export function toErrorDetails(error: unknown): aiserver.ErrorDetails {
  const { reason, title, detail, retryable } = TandemError.from(error);
  const { wireError } = REASONS[reason];
  return create(ErrorDetailsSchema, {
    error: wireError,
    details: { title, detail, isRetryable: retryable },
    isExpected: wireError !== aiserver.ErrorDetails_Error.INTERNAL,
  });
}

/** The error that ends a stream, for `encodeEndStream({ error })`. Takes anything thrown. */
export function toEndStreamError(error: unknown): StreamError {
  const { code, publicMessage } = TandemError.from(error);
  const value = toBinary(ErrorDetailsSchema, toErrorDetails(error));
  return { code, message: publicMessage, details: [{ type: ErrorDetailsSchema.typeName, value }] };
}

/** The JSON body of a unary error; its HTTP status is `connectCodeToHttp(code)`. Takes anything thrown. */
export function toConnectErrorJson(error: unknown): ConnectErrorJson {
  const { code, message, details } = toEndStreamError(error);
  const debug = toJson(ErrorDetailsSchema, toErrorDetails(error));
  return {
    code,
    message,
    details: details.map(({ type, value }) => ({ type, value: rawBase64(value), debug })),
  };
}

/**
 * The same for handlers that connect-node runs: an error to throw there. Takes anything thrown, and tells no more
 * than the others; the cause stays with the error for the server's own log.
 */
export function toConnectError(error: unknown): ConnectError {
  const { code, publicMessage, retryAfterMs } = TandemError.from(error);
  const headers = retryAfterMs === undefined ? {} : { 'retry-after': retryAfterSeconds(retryAfterMs) };
  const details = [{ desc: ErrorDetailsSchema, value: toErrorDetails(error) }];
  return new ConnectError(publicMessage, CONNECT_CODES.indexOf(code) + 1, headers, details, error);
}

/** The value of a `retry-after` header: whole seconds, at least 1. */
export function retryAfterSeconds(ms: number): string {
  return String(Math.max(1, Math.ceil(ms / 1000)));
}

/** Base64 without padding, as Connect writes the details of an error. */
function rawBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64').replace(/=+$/, '');
}
