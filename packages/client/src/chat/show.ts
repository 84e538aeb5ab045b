import type { ServerFrame } from '../stream/event-reader.ts';

/** Where the answer goes. */
export interface Screen {
  write(text: string): void;
  /** Thinking is shown, dimmed, to a person only: what reads from a pipe wants the answer. */
  readonly isTTY: boolean;
}

const DIM = '\x1b[2m';
const RESET = '\x1b[0m';

/** Writes a turn's text as it comes. */
export class TurnView {
  readonly #screen: Screen;
  #dimmed = false;
  #atLineStart = true;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  show({ message: { message } }: ServerFrame): void {
    if (message.case !== 'interactionUpdate') return;
    const update = message.value.message;
    if (update.case === 'textDelta') this.#text(update.value.text);
    if (update.case === 'thinkingDelta' && this.#screen.isTTY) this.#thinking(update.value.text);
  }

  /** Leaves the cursor at the start of a line. */
  end(): void {
    this.#undim();
    if (!this.#atLineStart) this.#write('\n');
  }

  #text(text: string): void {
    if (this.#dimmed) {
      this.#undim();
      this.#write('\n\n');
    }
    this.#write(text);
  }

  #thinking(text: string): void {
    if (!this.#dimmed) {
      if (!this.#atLineStart) this.#write('\n');
      this.#screen.write(DIM);
      this.#dimmed = true;
    }
    this.#write(text);
  }

  #undim(): void {
    if (this.#dimmed) this.#screen.write(RESET);
    this.#dimmed = false;
  }

  #write(text: string): void {
    if (text === '') return;
    this.#screen.write(text);
    this.#atLineStart = text.endsWith('\n');
  }
}
