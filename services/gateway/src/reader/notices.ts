import { create, toBinary } from '@bufbuild/protobuf';
import {
  appendMessage,
  type Clock,
  commandSubject,
  type Entropy,
  type Log,
  type Position,
  type TurnKey,
} from '@tandem/actor-core';
import { tandem } from '@tandem/proto';

export interface NoticesDeps {
  readonly log: Log;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** How long a notice is tried. Milliseconds. */
  readonly retryForMs: number;
  /** Told of a notice that could not be stored. Its loss costs time or a repetition, nothing else. */
  readonly failed: (error: unknown) => void;
}

/** What a gateway tells a turn's actor about one reader, by the command log. Nothing here rejects. */
export class Notices {
  readonly #deps: NoticesDeps;
  readonly #key: TurnKey;
  readonly #requestId: string;

  constructor(deps: NoticesDeps, key: TurnKey, requestId: string) {
    this.#deps = deps;
    this.#key = key;
    this.#requestId = requestId;
  }

  /** A response was ended on purpose, with everything up to `position` written. */
  responseEnded(end: {
    generation: number;
    position: Position | undefined;
    endStream: boolean;
    trusted: boolean;
  }): Promise<void> {
    const { generation, position, endStream, trusted } = end;
    const value = create(tandem.ResponseEndedSchema, {
      requestId: this.#requestId,
      generation: BigInt(generation),
      position: position && { entry: BigInt(position.entry), item: position.item },
      endStream,
      trusted,
    });
    return this.#append({ case: 'responseEnded', value });
  }

  /** The client closed its socket. */
  readerClosed(readerId: string): Promise<void> {
    const value = create(tandem.ReaderClosedSchema, { requestId: this.#requestId, readerId });
    return this.#append({ case: 'readerClosed', value });
  }

  async #append(kind: tandem.Command['kind']): Promise<void> {
    const { log, clock, entropy, retryForMs, failed } = this.#deps;
    const payload = toBinary(tandem.CommandSchema, create(tandem.CommandSchema, { kind }));
    try {
      await appendMessage(log, commandSubject(this.#key), entropy.id(), payload, {
        clock,
        entropy,
        retryForMs,
      });
    } catch (error) {
      failed(error);
    }
  }
}
