/**
 * What is wrong with the bytes of an envelope stream:
 * - `too_large`: a message is above the limit, compressed or decompressed
 * - `bad_gzip`: a compressed message cannot be decompressed
 * - `truncated`: the stream ended inside an envelope
 * - `bad_flags`: an envelope has flags that the protocol does not define
 * - `after_end`: bytes follow the EndStream envelope
 * - `bad_end_stream`: the EndStream payload is not the JSON that the protocol asks for
 */
export type EnvelopeFault =
  | 'too_large'
  | 'bad_gzip'
  | 'truncated'
  | 'bad_flags'
  | 'after_end'
  | 'bad_end_stream';

/** A fault in an envelope stream. The text never holds payload bytes. */
export class EnvelopeError extends Error {
  override readonly name = 'EnvelopeError';
  readonly reason: EnvelopeFault;

  constructor(reason: EnvelopeFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
