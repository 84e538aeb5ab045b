import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  Assembler,
  type Clock,
  commandSubject,
  endItems,
  frameItem,
  journalSet,
  journalSubject,
  type Log,
  type Position,
  pulseSubject,
  type Signals,
  splitMessage,
  type TurnKey,
} from '@tandem/actor-core';
import type { TandemError } from '@tandem/errors';
import { agent, tandem } from '@tandem/proto';

/** Writes a turn's journal as an actor would, by hand. */
export class FakeActor {
  readonly #deps: { log: Log; signals: Signals; clock?: Clock };
  readonly #key: TurnKey;
  #generation = 0;
  #number = 0;
  lastSequence = 0;

  constructor(deps: { log: Log; signals: Signals; clock?: Clock }, key: TurnKey) {
    this.#deps = deps;
    this.#key = key;
  }

  async open(requestId: string, generation = this.#generation + 1): Promise<void> {
    this.#generation = generation;
    this.#number = 0;
    await this.write([create(tandem.ItemSchema, { kind: { case: 'opened', value: { requestId } } })]);
  }

  async texts(...texts: string[]): Promise<void> {
    await this.write(texts.map((text) => frameItem(textMessage(text))));
  }

  async attempt(requestId: string, start: Position | undefined, withheld: Position[] = []): Promise<void> {
    const wire = ({ entry, item }: Position) => ({ entry: BigInt(entry), item });
    const value = { requestId, start: start && wire(start), withheld: withheld.map(wire) };
    await this.write([create(tandem.ItemSchema, { kind: { case: 'attempt', value } })]);
  }

  async end(error?: TandemError, consumedSequence = this.#generation): Promise<void> {
    await this.write(
      endItems(error ? 'failed' : 'completed', error, { consumedSequence, scanSequence: consumedSequence }),
    );
  }

  pulse(): void {
    const pulse = create(tandem.PulseSchema, {
      generation: BigInt(this.#generation),
      lastSequence: BigInt(this.lastSequence),
    });
    this.#deps.signals.publish(pulseSubject(this.#key), toBinary(tandem.PulseSchema, pulse));
  }

  async write(items: tandem.Item[], number = this.#number + 1): Promise<void> {
    this.#number = number;
    const entry = create(tandem.EntrySchema, {
      generation: BigInt(this.#generation),
      epoch: 1n,
      number: BigInt(number),
      atMs: BigInt(this.#deps.clock?.now() ?? 0),
      items,
    });
    const { log } = this.#deps;
    const pieces = splitMessage(toBinary(tandem.EntrySchema, entry), log.maxRecordBytes);
    const set = `${this.#generation}-${journalSet(1, number)}`;
    for (const [index, piece] of pieces.entries()) {
      const part = { set, index, count: pieces.length };
      this.lastSequence = (await log.append(journalSubject(this.#key), part, piece)).sequence;
    }
  }

  /** What stands in the command log. */
  async commands(): Promise<tandem.Command['kind'][]> {
    const assembler = new Assembler();
    const commands: tandem.Command['kind'][] = [];
    for (const record of await this.#deps.log.read(commandSubject(this.#key), 0, 100_000)) {
      const message = assembler.push(record);
      if (message) commands.push(fromBinary(tandem.CommandSchema, message.payload).kind);
    }
    return commands;
  }
}

function textMessage(text: string): agent.AgentServerMessage {
  return create(agent.AgentServerMessageSchema, {
    message: {
      case: 'interactionUpdate',
      value: create(agent.InteractionUpdateSchema, { message: { case: 'textDelta', value: { text } } }),
    },
  });
}
