import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Clock } from '@tandem/actor-core';
import { TandemError } from '@tandem/errors';
import { header, type Request } from '../server/exchange.ts';
import type { Ticket } from './body-budget.ts';

export interface BodyLimits {
  /** Most bytes, as sent as well as unfolded. */
  readonly maxBytes: number;
  /** A body may take this long… */
  readonly baseMs: number;
  /** …and longer by what came of it at this rate. */
  readonly minBytesPerSecond: number;
}

export interface ReadBodyOptions {
  readonly limits: BodyLimits;
  readonly clock: Clock;
  /** Where its bytes are counted; without, only `maxBytes` bounds them. */
  readonly ticket?: Ticket;
}

/**
 * Reads a request's body, unfolding gzip.
 *
 * @throws TandemError message_too_large, too_many_bytes (no room in time), upload_too_slow, client_gone, malformed_message
 *   (bad gzip), unsupported (another content encoding)
 */
export function readBody(request: Request, options: ReadBodyOptions): Promise<Buffer> {
  const { maxBytes } = options.limits;
  const encoding = header(request, 'content-encoding') ?? 'identity';
  if (encoding !== 'identity' && encoding !== 'gzip') {
    const detail = 'The content encoding is not supported: use gzip, or none.';
    return Promise.reject(new TandemError('unsupported', { detail }));
  }
  const length = Number(header(request, 'content-length') ?? Number.NaN);
  if (length > maxBytes) return Promise.reject(tooLarge(maxBytes));
  // Small bodies come with their heads: they are there before anybody asks.
  if (encoding === 'identity' && request.readableLength === length) return takeArrived(request, options);
  return new BodyReader(request, encoding === 'gzip', options).result;
}

async function takeArrived(request: Request, { ticket }: ReadBodyOptions): Promise<Buffer> {
  const body: Buffer = request.read() ?? Buffer.alloc(0);
  const room = ticket?.take(body.length);
  if (room && !(await room)) throw noRoom();
  return body;
}

class BodyReader {
  readonly result: Promise<Buffer>;
  readonly #request: Request;
  readonly #source: Readable;
  readonly #options: ReadBodyOptions;
  readonly #chunks: Buffer[] = [];
  readonly #startedAt: number;
  #bytes = 0;
  #received = 0;
  #waitedMs = 0;
  #resolve: (body: Buffer) => void = () => {};
  #reject: (error: TandemError) => void = () => {};
  #timer: { cancel(): void };
  #settled = false;

  constructor(request: Request, gzip: boolean, options: ReadBodyOptions) {
    this.#request = request;
    this.#options = options;
    this.#startedAt = options.clock.now();
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#timer = options.clock.after(options.limits.baseMs, () => this.#checkPace());
    this.#source = gzip ? request.pipe(createGunzip()) : request;
    request.on('data', this.#count);
    request.on('close', this.#brokenOff);
    request.on('error', this.#brokenOff);
    this.#source.on('data', this.#take);
    this.#source.on('end', this.#done);
    if (gzip) this.#source.on('error', this.#noGzip);
  }

  readonly #count = (chunk: Buffer): void => {
    this.#received += chunk.length;
    if (this.#received > this.#options.limits.maxBytes) this.#fail(tooLarge(this.#options.limits.maxBytes));
  };

  readonly #brokenOff = (): void => {
    if (!this.#request.complete)
      this.#fail(new TandemError('client_gone', { message: 'the upload broke off' }));
  };

  readonly #noGzip = (): void => {
    this.#fail(new TandemError('malformed_message', { message: 'body is no gzip' }));
  };

  readonly #take = (chunk: Buffer): void => {
    if (this.#settled) return;
    this.#bytes += chunk.length;
    if (this.#bytes > this.#options.limits.maxBytes) {
      this.#fail(tooLarge(this.#options.limits.maxBytes));
      return;
    }
    this.#chunks.push(chunk);
    const room = this.#options.ticket?.take(chunk.length);
    if (room) void this.#waitFor(room);
  };

  async #waitFor(room: Promise<boolean>): Promise<void> {
    const { clock } = this.#options;
    const began = clock.now();
    this.#source.pause();
    const admitted = await room;
    this.#waitedMs += clock.now() - began;
    if (admitted) this.#source.resume();
    else this.#fail(noRoom());
  }

  #checkPace(): void {
    const { clock, limits } = this.#options;
    const allowedMs = limits.baseMs + this.#waitedMs + (this.#received / limits.minBytesPerSecond) * 1000;
    const leftMs = this.#startedAt + allowedMs - clock.now();
    if (leftMs > 0) this.#timer = clock.after(leftMs, () => this.#checkPace());
    else {
      this.#fail(new TandemError('upload_too_slow', { message: `body too slow: ${this.#received} bytes` }));
    }
  }

  readonly #done = (): void => {
    if (!this.#settle()) return;
    const [only] = this.#chunks;
    this.#resolve(this.#chunks.length === 1 && only ? only : Buffer.concat(this.#chunks, this.#bytes));
  };

  #fail(error: TandemError): void {
    if (!this.#settle()) return;
    this.#chunks.length = 0;
    if (this.#source !== this.#request) {
      this.#request.unpipe();
      this.#source.destroy();
    }
    this.#reject(error);
  }

  /** Whether this is the first time. */
  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    this.#timer.cancel();
    // A stream's request lives as long as its response, and should not hold its body.
    this.#request.off('data', this.#count);
    this.#request.off('close', this.#brokenOff);
    this.#request.off('error', this.#brokenOff);
    this.#source.off('data', this.#take);
    this.#source.off('end', this.#done);
    return true;
  }
}

function noRoom(): TandemError {
  return new TandemError('too_many_bytes', { message: 'no room for the body in time' });
}

function tooLarge(maxBytes: number): TandemError {
  return new TandemError('message_too_large', { message: `body of more than ${maxBytes} bytes` });
}
