import { type Word, wordsIn } from './word.ts';

/** Follows what a client is shown of one turn, and counts what is missing, comes twice, or does not belong there. */
export class WordCheck {
  #next = 0;
  #tail = '';
  /** Words that were skipped, or that the turn ended without. */
  lost = 0;
  /** Words that were shown before. */
  repeated = 0;

  /** Takes a piece of text as it was shown. @returns the new words that are whole */
  push(text: string): Word[] {
    const shown = this.#tail + text;
    const end = shown.lastIndexOf(' ') + 1;
    this.#tail = shown.slice(end);
    return wordsIn(shown.slice(0, end)).filter((word) => this.#place(word));
  }

  /** The turn is over, and should have had so many words. */
  end(words: number): void {
    if (this.#tail !== '') this.lost += 1;
    this.lost += Math.max(0, words - this.#next);
  }

  #place({ index }: Word): boolean {
    if (index < 0) this.lost += 1;
    else if (index < this.#next) this.repeated += 1;
    else {
      this.lost += index - this.#next;
      this.#next = index + 1;
      return true;
    }
    return false;
  }
}
