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

/** What a gateway tells a turn's actor about one reader, by the command log. */
export class Notices {
  readonly #deps: { log: Log; clock: Clock; entropy: Entropy };
  readonly #key: TurnKey;
  readonly #retryForMs: number;

  constructor(deps: { log: Log; clock: Clock; entropy: Entropy }, key: TurnKey, retryForMs: number) {
    this.#deps = deps;
    this.#key = key;
    this.#retryForMs = retryForMs;
  }

  /** A response was ended on purpose, with everything up to `position` written. @throws LogUnavailable, LogFull */
  responseEnded(end: {
    requestId: string;
    generation: number;
    position: Position | undefined;
    endStream: boolean;
    trusted: boolean;
  }): Promise<void> {
    const { requestId, generation, position, endStream, trusted } = end;
    const value = create(tandem.ResponseEndedSchema, {
      requestId,
      generation: BigInt(generation),
      position: position && { entry: BigInt(position.entry), item: position.item },
      endStream,
      trusted,
    });
    return this.#append({ case: 'responseEnded', value });
  }

  /** The client closed its socket. @throws LogUnavailable, LogFull */
  readerClosed(requestId: string, readerId: string): Promise<void> {
    const value = create(tandem.ReaderClosedSchema, { requestId, readerId });
    return this.#append({ case: 'readerClosed', value });
  }

  async #append(kind: tandem.Command['kind']): Promise<void> {
    const { log, clock, entropy } = this.#deps;
    const payload = toBinary(tandem.CommandSchema, create(tandem.CommandSchema, { kind }));
    await appendMessage(log, commandSubject(this.#key), entropy.id(), payload, {
      clock,
      retryForMs: this.#retryForMs,
    });
  }
}
