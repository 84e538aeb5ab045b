import type { Position } from '@tandem/actor-core';
import type { tandem } from '@tandem/proto';

/** Where the reader of a request begins. */
export interface Start {
  readonly generation: number;
  /** The log sequence of the generation's first record. */
  readonly firstSequence: number;
  /** The reader gets what stands behind this place; undefined: all of the generation. */
  readonly behind: Position | undefined;
  /** Frames behind it that the reader does not get. */
  readonly withheld: readonly Position[];
  /** The request opened the generation (else it is a later attempt at it). */
  readonly opener: boolean;
}

/** What is known of the newest generation. */
interface Generation {
  readonly generation: number;
  readonly firstSequence: number;
  /** The command log's consumed sequence at its end, once it has ended. */
  ended: number | undefined;
}

/**
 * Reads a turn's journal for the place where one request's reader begins: where the request opened a generation, or
 * where the last `attempt` item that names it says.
 */
export class StartFinder {
  readonly #requestId: string;
  #current: Generation | undefined;
  #start: Start | undefined;
  #startGeneration: Generation | undefined;

  constructor(requestId: string) {
    this.#requestId = requestId;
  }

  /** The newest start found. */
  get start(): Start | undefined {
    return this.#start;
  }

  /** Consumed sequence at the end of the start's generation; undefined while it runs. */
  get startEnded(): number | undefined {
    return this.#startGeneration?.ended;
  }

  /** What the journal has consumed of the command log, as far as ended generations tell. */
  get consumed(): number {
    return this.#current?.ended ?? 0;
  }

  /** Whether a generation is running. */
  get running(): boolean {
    return this.#current !== undefined && this.#current.ended === undefined;
  }

  /**
   * Takes the next entry.
   * @param firstSequence the sequence of its first record
   * @returns a start that this entry names
   */
  push(entry: tandem.Entry, firstSequence: number): Start | undefined {
    const generation = Number(entry.generation);
    if (this.#current?.generation !== generation)
      this.#current = { generation, firstSequence, ended: undefined };
    const current = this.#current;
    let found: Start | undefined;
    for (const { kind } of entry.items) {
      if (kind.case === 'opened' && kind.value.requestId === this.#requestId) {
        const { firstSequence } = current;
        found = { generation, firstSequence, behind: undefined, withheld: [], opener: true };
      } else if (kind.case === 'attempt' && kind.value.requestId === this.#requestId) {
        const { start } = kind.value;
        const behind = start && positionOf(start);
        const withheld = kind.value.withheld.map(positionOf);
        found = { generation, firstSequence: current.firstSequence, behind, withheld, opener: false };
      } else if (kind.case === 'ended') {
        current.ended ??= Number(kind.value.consumedSequence);
      }
    }
    if (!found) return undefined;
    this.#start = found;
    this.#startGeneration = current;
    return found;
  }
}

function positionOf({ entry, item }: tandem.Position): Position {
  return { entry: Number(entry), item };
}
