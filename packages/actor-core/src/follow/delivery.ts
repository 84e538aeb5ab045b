import { Assembler } from '../parts/assembler.ts';
import type { LogRecord } from '../ports/log.ts';
import type { FollowHandler, FollowOptions } from './follower.ts';

/** Gives records, in order, to the parts of their messages and whole messages to the handler. */
export class Delivery {
  readonly #handler: FollowHandler;
  readonly #assembler: Assembler;
  #position: number;

  constructor(options: FollowOptions, after: number, handler: FollowHandler) {
    this.#assembler = new Assembler(options.assembly);
    this.#position = after;
    this.#handler = handler;
  }

  /** The last record that was taken. */
  get position(): number {
    return this.#position;
  }

  get resumeAfter(): number {
    return (this.#assembler.lowestOpenSequence() ?? this.#position + 1) - 1;
  }

  /** Whether nothing lies between the position and this record. */
  follows(record: LogRecord): boolean {
    return record.previous !== undefined && record.previous <= this.#position;
  }

  /** @returns what the handler wants to be waited for; rejects with HandlerFailure. @throws HandlerFailure */
  take(record: LogRecord): Promise<void> | undefined {
    this.#position = record.sequence;
    try {
      const message = this.#assembler.push(record);
      const pending = message && this.#handler.message(message);
      return pending?.catch((error) => {
        throw new HandlerFailure(error);
      });
    } catch (error) {
      throw new HandlerFailure(error);
    }
  }

  /** Passes over what will never be read. */
  skipTo(sequence: number): void {
    this.#position = Math.max(this.#position, sequence);
  }
}

/** Wraps what a handler threw, to tell it from what the log threw. */
export class HandlerFailure extends Error {
  constructor(cause: unknown) {
    super('the handler of a message failed', { cause });
  }
}
