import type { Position } from '@tandem/actor-core';
import { TandemError } from '@tandem/errors';
import { FLAG_END_STREAM } from '@tandem/proto';
import type { EntryView } from './entry-view.ts';
import type { Start } from './start-finder.ts';

/** What one entry has for a reader. */
export interface Picked {
  readonly frames: Uint8Array[];
  /** The last of them is the EndStream. */
  readonly endStream: boolean;
  /** The generation is over with this entry. */
  readonly ended: boolean;
  /** The place of the last frame; undefined when there is none. */
  readonly position: Position | undefined;
}

const NOTHING: Picked = { frames: [], endStream: false, ended: false, position: undefined };

/** Picks from a generation's entries the frames that one reader gets, each once, in order, none left out. */
export class FramePicker {
  readonly #start: Start;
  #skip: number;
  #number = 0;

  /** @param received how many frames behind the start the client has already */
  constructor(start: Start, received: number) {
    this.#start = start;
    this.#skip = received;
  }

  /** @throws TandemError journal_lost when an entry is missing */
  pick(entry: EntryView): Picked {
    if (entry.generation !== this.#start.generation) return NOTHING;
    const { number } = entry;
    if (number <= this.#number) return NOTHING;
    if (number !== this.#number + 1) {
      throw new TandemError('journal_lost', {
        message: `entry ${this.#number + 1} is missing before ${number}`,
      });
    }
    this.#number = number;
    return this.#framesOf(entry, number);
  }

  #framesOf({ items }: EntryView, number: number): Picked {
    const frames: Uint8Array[] = [];
    let endStream = false;
    let ended = false;
    let position: Position | undefined;
    for (let item = 0; item < items.length; item += 1) {
      const frame = items[item];
      if (frame === 'ended') ended = true;
      if (!(frame instanceof Uint8Array) || endStream) continue;
      endStream = ((frame[0] ?? 0) & FLAG_END_STREAM) !== 0;
      // The EndStream goes to every reader, wherever it starts.
      if (!endStream && !this.#wanted(number, item)) continue;
      frames.push(frame);
      position = { entry: number, item };
    }
    return { frames, endStream, ended, position };
  }

  #wanted(number: number, item: number): boolean {
    const { behind, withheld } = this.#start;
    if (behind && (number < behind.entry || (number === behind.entry && item <= behind.item))) return false;
    if (withheld.some((place) => place.entry === number && place.item === item)) return false;
    if (this.#skip === 0) return true;
    this.#skip -= 1;
    return false;
  }
}
