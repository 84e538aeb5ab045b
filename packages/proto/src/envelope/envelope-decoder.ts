import { gunzipSync } from 'node:zlib';
import { ENVELOPE_HEADER_BYTES, FLAG_COMPRESSED, FLAG_END_STREAM } from './encode-envelope.ts';
import { EnvelopeError } from './envelope-error.ts';

/** All flags that the Connect protocol defines. */
const KNOWN_FLAGS = FLAG_COMPRESSED | FLAG_END_STREAM;

/** What a message's buffer starts with; it doubles as bytes arrive, so an announced length alone costs nothing. */
const FIRST_BUFFER_BYTES = 64 * 1024;

/** One envelope as received. */
export interface Envelope {
  /** The flags as sent. */
  flags: number;
  /** The payload, decompressed. May be a view of a pushed chunk. */
  payload: Uint8Array;
  /** True for the last envelope of a server's stream; its payload is for `parseEndStream`. */
  endStream: boolean;
}

/** Limits of an {@link EnvelopeDecoder}. */
export interface EnvelopeDecoderOptions {
  /** The largest payload accepted, in bytes, compressed as well as decompressed. */
  maxMessageBytes: number;
}

/**
 * Cuts a byte stream into Connect envelopes, wherever the stream was split. Holds at most one unfinished message;
 * an over-long one is refused when its header has been read. A payload that lies whole in a chunk is not copied:
 * pushed chunks must not be changed afterwards.
 */
export class EnvelopeDecoder {
  readonly #maxMessageBytes: number;
  readonly #input: Uint8Array[] = [];
  readonly #header = new Uint8Array(ENVELOPE_HEADER_BYTES);
  #headerFilled = 0;
  #length = 0;
  #body: Uint8Array | undefined;
  #bodyFilled = 0;
  #ended = false;
  #fault: EnvelopeError | undefined;

  constructor({ maxMessageBytes }: EnvelopeDecoderOptions) {
    this.#maxMessageBytes = maxMessageBytes;
  }

  /** Whether the EndStream envelope was read. */
  get ended(): boolean {
    return this.#ended;
  }

  /**
   * Takes the next bytes and gives the envelopes that they complete, one at a time, so that compressed ones are
   * not all unfolded at once and those before a fault are still seen. What a caller does not read now comes with the
   * next push.
   *
   * @throws {EnvelopeError} while iterating: `too_large`, `bad_gzip`, `bad_flags`, `after_end`; then at every push
   */
  push(chunk: Uint8Array): Iterable<Envelope> {
    if (chunk.byteLength > 0 && !this.#fault) this.#input.push(chunk);
    return this.#drain();
  }

  /**
   * Tells that no bytes follow.
   *
   * @throws {EnvelopeError} `truncated` when an envelope is unfinished or unread; an earlier fault again
   */
  end(): void {
    if (this.#fault) throw this.#fault;
    if (this.#headerFilled > 0 || this.#input.length > 0) {
      throw this.#fail('truncated', 'the stream ended inside an envelope');
    }
  }

  *#drain(): Generator<Envelope, void, undefined> {
    if (this.#fault) throw this.#fault;
    for (let chunk = this.#input[0]; chunk !== undefined; chunk = this.#input[0]) {
      if (this.#ended) throw this.#fail('after_end', 'bytes follow the EndStream envelope');
      let rest = this.#readHeader(chunk);
      let payload: Uint8Array | undefined;
      if (this.#headerFilled === ENVELOPE_HEADER_BYTES) {
        const missing = this.#length - this.#bodyFilled;
        payload = this.#readBody(rest);
        rest = rest.subarray(Math.min(missing, rest.byteLength));
      }
      if (rest.byteLength > 0) this.#input[0] = rest;
      else this.#input.shift();
      if (payload) yield this.#finish(payload);
    }
  }

  /** Fills the header and checks it once it is whole; returns what follows it in the chunk. */
  #readHeader(chunk: Uint8Array): Uint8Array {
    if (this.#headerFilled === ENVELOPE_HEADER_BYTES) return chunk;
    const taken = Math.min(ENVELOPE_HEADER_BYTES - this.#headerFilled, chunk.byteLength);
    this.#header.set(chunk.subarray(0, taken), this.#headerFilled);
    this.#headerFilled += taken;
    if (this.#headerFilled === ENVELOPE_HEADER_BYTES) {
      const flags = this.#flags();
      if ((flags & ~KNOWN_FLAGS) !== 0) throw this.#fail('bad_flags', `unknown envelope flags ${flags}`);
      this.#length = new DataView(this.#header.buffer).getUint32(1);
      if (this.#length > this.#maxMessageBytes) {
        throw this.#fail('too_large', `message of ${this.#length} bytes, limit ${this.#maxMessageBytes}`);
      }
    }
    return chunk.subarray(taken);
  }

  /** Takes what the chunk has of the payload; returns the payload once it is whole. */
  #readBody(chunk: Uint8Array): Uint8Array | undefined {
    const missing = this.#length - this.#bodyFilled;
    if (this.#bodyFilled === 0 && chunk.byteLength >= missing) return chunk.subarray(0, missing);
    const part = chunk.subarray(0, missing);
    const body = this.#bodyWithRoomFor(part.byteLength);
    body.set(part, this.#bodyFilled);
    this.#bodyFilled += part.byteLength;
    return this.#bodyFilled === this.#length ? body.subarray(0, this.#length) : undefined;
  }

  #bodyWithRoomFor(bytes: number): Uint8Array {
    const needed = this.#bodyFilled + bytes;
    if (this.#body && this.#body.byteLength >= needed) return this.#body;
    const doubled = Math.max(needed, 2 * (this.#body?.byteLength ?? 0), FIRST_BUFFER_BYTES);
    const grown = new Uint8Array(Math.min(this.#length, doubled));
    if (this.#body) grown.set(this.#body.subarray(0, this.#bodyFilled));
    this.#body = grown;
    return grown;
  }

  #finish(payload: Uint8Array): Envelope {
    const flags = this.#flags();
    this.#headerFilled = 0;
    this.#body = undefined;
    this.#bodyFilled = 0;
    const endStream = (flags & FLAG_END_STREAM) !== 0;
    // An empty payload needs no decompression: some senders set the flag without writing gzip's own header.
    const compressed = (flags & FLAG_COMPRESSED) !== 0 && payload.byteLength > 0;
    const plain = compressed ? this.#decompress(payload) : payload;
    this.#ended = endStream;
    return { flags, payload: plain, endStream };
  }

  #decompress(payload: Uint8Array): Uint8Array {
    try {
      return gunzipSync(payload, { maxOutputLength: this.#maxMessageBytes });
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
        throw this.#fail('too_large', `message decompresses to more than ${this.#maxMessageBytes} bytes`);
      }
      throw this.#fail('bad_gzip', 'message cannot be decompressed', { cause });
    }
  }

  #flags(): number {
    return this.#header[0] ?? 0;
  }

  /** Remembers the fault, and drops what is held: after it, nothing in the stream has a known meaning. */
  #fail(...fault: ConstructorParameters<typeof EnvelopeError>): EnvelopeError {
    this.#fault = new EnvelopeError(...fault);
    this.#input.length = 0;
    this.#body = undefined;
    return this.#fault;
  }
}
