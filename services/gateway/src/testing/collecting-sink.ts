import { fromBinary } from '@bufbuild/protobuf';
import { agent, EnvelopeDecoder, type ParsedEndStream, parseEndStream } from '@tandem/proto';
import type { Sink } from '../reader/reader-types.ts';

/** A client that takes everything, or nothing while it is told to. */
export class CollectingSink implements Sink {
  readonly texts: string[] = [];
  readonly flags: number[] = [];
  heartbeats = 0;
  endStream: ParsedEndStream | undefined;
  ended = false;
  destroyed = false;
  bytes = 0;
  /** What `end` says of the client. */
  confirms = true;
  readonly #decoder = new EnvelopeDecoder({ maxMessageBytes: 64 * 1024 * 1024 });
  #blocked: PromiseWithResolvers<void> | undefined;

  block(): void {
    this.#blocked ??= Promise.withResolvers();
  }

  unblock(): void {
    this.#blocked?.resolve();
    this.#blocked = undefined;
  }

  write(bytes: Uint8Array): Promise<void> | undefined {
    this.bytes += bytes.length;
    for (const { payload, flags, endStream } of this.#decoder.push(bytes)) {
      this.flags.push(flags);
      if (endStream) this.endStream = parseEndStream(payload);
      else this.#take(fromBinary(agent.AgentServerMessageSchema, payload));
    }
    return this.#blocked?.promise;
  }

  async flushed(): Promise<boolean> {
    await this.#blocked?.promise;
    return true;
  }

  async end(confirm: boolean): Promise<boolean> {
    this.ended = true;
    return confirm && this.confirms;
  }

  destroy(): void {
    this.destroyed = true;
  }

  #take({ message }: agent.AgentServerMessage): void {
    const update = message.case === 'interactionUpdate' ? message.value.message : undefined;
    if (update?.case === 'heartbeat') this.heartbeats += 1;
    else this.texts.push(update?.case === 'textDelta' ? update.value.text : `<${message.case}>`);
  }
}
