import { fromBinary, fromJsonString } from '@bufbuild/protobuf';
import { TandemError } from '@tandem/errors';
import { agent, aiserver, decodeHex } from '@tandem/proto';

/** A client's message, checked. */
export interface ClientAppend {
  readonly requestId: string;
  readonly seqno: number;
  /** The encoded `AgentClientMessage`. */
  readonly message: Uint8Array;
}

/** No request numbers its messages further: at one a millisecond, this is three hours. */
const MAX_SEQNO = 10_000_000;

/**
 * Decodes the body of a BidiAppend, and checks all that can be checked without knowing the turn.
 * @throws TandemError bad_request, malformed_message, message_too_large
 */
export function decodeAppend(
  body: Uint8Array,
  format: 'proto' | 'json',
  maxMessageBytes: number,
): ClientAppend {
  const request = decodeRequest(body, format);
  const requestId = checkRequestId(request.requestId?.requestId ?? '');
  const seqno = checkSeqno(request.appendSeqno);
  const message = checkMessage(payloadOf(request), maxMessageBytes);
  return { requestId, seqno, message };
}

/**
 * Checks an encoded `AgentClientMessage`: it can be decoded, and says something.
 * @returns the same bytes
 * @throws TandemError bad_request, malformed_message, message_too_large
 */
export function checkMessage(bytes: Uint8Array, maxBytes: number): Uint8Array {
  if (bytes.length > maxBytes) {
    throw new TandemError('message_too_large', {
      message: `message of ${bytes.length} bytes, limit ${maxBytes}`,
    });
  }
  const { message, $unknown: unknown = [] } = decodeClientMessage(bytes);
  // A kind of message that only newer clients know is no fault of theirs; turns pass it over.
  if (!message.case && unknown.length === 0)
    throw new TandemError('bad_request', { detail: 'The message is empty.' });
  return bytes;
}

function decodeRequest(body: Uint8Array, format: 'proto' | 'json'): aiserver.BidiAppendRequest {
  try {
    if (format === 'proto') return fromBinary(aiserver.BidiAppendRequestSchema, body);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    return fromJsonString(aiserver.BidiAppendRequestSchema, text, { ignoreUnknownFields: true });
  } catch {
    // No cause: the errors of decoders quote what they could not read.
    throw new TandemError('malformed_message', { message: 'BidiAppendRequest cannot be decoded' });
  }
}

function decodeClientMessage(bytes: Uint8Array): agent.AgentClientMessage {
  try {
    return fromBinary(agent.AgentClientMessageSchema, bytes);
  } catch {
    throw new TandemError('malformed_message', { message: 'AgentClientMessage cannot be decoded' });
  }
}

function checkSeqno(seqno: bigint): number {
  if (seqno < 0n) throw new TandemError('bad_request', { detail: 'append_seqno is negative.' });
  if (seqno > MAX_SEQNO)
    throw new TandemError('bad_request', { detail: `append_seqno is above ${MAX_SEQNO}.` });
  return Number(seqno);
}

function payloadOf({ data, dataBinary }: aiserver.BidiAppendRequest): Uint8Array {
  if (data !== '' && dataBinary.length > 0) {
    throw new TandemError('bad_request', { detail: 'Both data and data_binary are set.' });
  }
  if (data === '') {
    if (dataBinary.length === 0) throw new TandemError('bad_request', { detail: 'The message is missing.' });
    return dataBinary;
  }
  try {
    return decodeHex(data);
  } catch {
    throw new TandemError('malformed_message', { detail: 'data is not hexadecimal.' });
  }
}

const VISIBLE_ASCII = /^[\x21-\x7e]{1,256}$/;

/**
 * Checks a request id: 1 to 256 visible ASCII characters, so that it can stand in headers and logs.
 * @throws TandemError bad_request
 */
export function checkRequestId(id: string, where = 'request id'): string {
  if (VISIBLE_ASCII.test(id)) return id;
  const fault =
    id === ''
      ? 'is missing'
      : id.length > 256
        ? 'is longer than 256 characters'
        : 'holds characters other than visible ASCII';
  throw new TandemError('bad_request', { detail: `The ${where} ${fault}.` });
}
