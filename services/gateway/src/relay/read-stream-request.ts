import { fromBinary } from '@bufbuild/protobuf';
import { TandemError } from '@tandem/errors';
import { aiserver, EnvelopeDecoder, EnvelopeError } from '@tandem/proto';
import { checkRequestId } from '../append/decode-append.ts';

/** A request id, its tags, and an envelope. */
export const MAX_STREAM_REQUEST_BYTES = 16 * 1024;

/**
 * The request id from the body of a RunSSE: exactly one message in an envelope.
 * @throws TandemError malformed_message, bad_request, message_too_large
 */
export function readStreamRequest(body: Uint8Array): string {
  const messages = decodeEnvelopes(body);
  const [message, ...more] = messages;
  if (!message) throw new TandemError('bad_request', { detail: 'The request has no message.' });
  if (more.length > 0)
    throw new TandemError('bad_request', { detail: 'The request has more than one message.' });
  let requestId: string;
  try {
    requestId = fromBinary(aiserver.BidiRequestIdSchema, message).requestId;
  } catch {
    throw new TandemError('malformed_message', { message: 'BidiRequestId cannot be decoded' });
  }
  return checkRequestId(requestId);
}

function decodeEnvelopes(body: Uint8Array): Uint8Array[] {
  try {
    const decoder = new EnvelopeDecoder({ maxMessageBytes: MAX_STREAM_REQUEST_BYTES });
    const messages = [...decoder.push(body)]
      .filter(({ endStream }) => !endStream)
      .map(({ payload }) => payload);
    decoder.end();
    return messages;
  } catch (error) {
    throw envelopeFault(error);
  }
}

/** What is wrong with an envelope, as clients are told. */
export function envelopeFault(error: unknown): TandemError {
  if (!(error instanceof EnvelopeError)) return TandemError.from(error);
  if (error.reason === 'too_large') return new TandemError('message_too_large', { cause: error });
  return new TandemError('malformed_message', { message: error.message, cause: error });
}
