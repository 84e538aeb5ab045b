import type { IncomingMessage, ServerResponse } from 'node:http';
import { fromBinary } from '@bufbuild/protobuf';
import { agent, EnvelopeDecoder } from '@tandem/proto';

const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const HEADER_BYTES = 5;

/** One stream on its way through a proxy, frame by frame. */
export class CutStream {
  readonly turn: string;
  /** Which of its turn's streams it is, from 1. */
  readonly number: number;
  /** What the client was passed, heartbeats included. */
  readonly frames: agent.AgentServerMessage[] = [];
  /** The EndStream was passed on, too. */
  ended = false;
  /** Resolves once the stream is held. */
  readonly held: Promise<void>;
  readonly #outgoing: ServerResponse;
  readonly #holdAfter: () => boolean;
  #hold: () => void = () => {};
  #answer: IncomingMessage | undefined;
  #pending = Buffer.alloc(0);
  #holds = false;
  #answered: 'in part' | 'whole' | 'broken' = 'in part';

  constructor(turn: string, number: number, outgoing: ServerResponse, holdAfter: () => boolean) {
    this.turn = turn;
    this.number = number;
    this.#outgoing = outgoing;
    this.#holdAfter = holdAfter;
    this.held = new Promise((resolve) => {
      this.#hold = resolve;
    });
  }

  /** Passes on what a gateway answers, and how that ends. */
  relay(answer: IncomingMessage): void {
    this.#answer = answer;
    answer.on('data', (chunk: Buffer) => {
      this.#pending = Buffer.concat([this.#pending, chunk]);
      this.#pass();
    });
    answer.on('error', () => {});
    answer.once('close', () => {
      this.#answered = answer.complete ? 'whole' : 'broken';
      this.#pass();
    });
  }

  /** Lets go what is held, and all that follows. */
  release(): void {
    this.#holds = false;
    this.#pass();
  }

  /** Cuts the client's connection by a reset; what is held is lost. */
  reset(): void {
    this.#outgoing.socket?.resetAndDestroy();
    this.#answer?.destroy();
  }

  #pass(): void {
    while (!this.#holds) {
      const frame = this.#nextFrame();
      if (!frame) break;
      this.#outgoing.write(frame);
      const decoded = decode(frame);
      if (decoded) this.frames.push(decoded);
      else this.ended = true;
      if (!decoded || !this.#holdAfter()) continue;
      this.#holds = true;
      this.#hold();
    }
    if (this.#holds) return;
    if (this.#answered === 'whole') this.#outgoing.end(this.#pending);
    else if (this.#answered === 'broken') this.#outgoing.destroy();
  }

  #nextFrame(): Buffer | undefined {
    if (this.#pending.length < HEADER_BYTES) return undefined;
    const length = HEADER_BYTES + this.#pending.readUInt32BE(1);
    if (this.#pending.length < length) return undefined;
    const frame = this.#pending.subarray(0, length);
    this.#pending = this.#pending.subarray(length);
    return frame;
  }
}

/** Undefined for the EndStream. */
function decode(frame: Buffer): agent.AgentServerMessage | undefined {
  const [envelope] = new EnvelopeDecoder({ maxMessageBytes: MAX_MESSAGE_BYTES }).push(frame);
  if (!envelope || envelope.endStream) return undefined;
  return fromBinary(agent.AgentServerMessageSchema, envelope.payload);
}
