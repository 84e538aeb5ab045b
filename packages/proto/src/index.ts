export * as agent from '../gen/agent.js';
export * as aiserver from '../gen/aiserver.js';
export * as tandem from '../gen/tandem.js';
export type { EncodeGzipOptions, EncodeOptions } from './envelope/encode-envelope.ts';
export {
  ENVELOPE_HEADER_BYTES,
  encodeEnvelope,
  encodeGzipEnvelope,
  encodeGzipEnvelopeAsync,
  FLAG_COMPRESSED,
  FLAG_END_STREAM,
} from './envelope/encode-envelope.ts';
export type { EndStream, EndStreamDetail, EndStreamError, ParsedEndStream } from './envelope/end-stream.ts';
export { encodeEndStream, parseEndStream } from './envelope/end-stream.ts';
export type { Envelope, EnvelopeDecoderOptions } from './envelope/envelope-decoder.ts';
export { EnvelopeDecoder } from './envelope/envelope-decoder.ts';
export type { EnvelopeFault } from './envelope/envelope-error.ts';
export { EnvelopeError } from './envelope/envelope-error.ts';
export type { HexFault } from './hex.ts';
export { decodeHex, encodeHex, HexError } from './hex.ts';
