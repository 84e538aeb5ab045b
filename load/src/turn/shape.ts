/** What one turn of a load does, as far as its model decides that. */
export interface TurnShape {
  /** Words that the model says. */
  readonly words: number;
  /** Time between two words, milliseconds; 0: as fast as it goes. */
  readonly paceMs: number;
  /** Tools that it calls on the way, one a step, spread evenly over the words. */
  readonly tools: number;
  /** The size of a word, with what it is padded with; as small as it gets unless given. */
  readonly wordBytes?: number;
}

const MARK = 'load-turn';
const PATTERN = new RegExp(`${MARK} (\\d+) (\\d+) (\\d+) (\\d+)`);

/** What a client says to have such a turn. */
export function promptFor({ words, paceMs, tools, wordBytes = 0 }: TurnShape): string {
  return `${MARK} ${words} ${paceMs} ${tools} ${wordBytes}`;
}

/** What a client asked for, whatever was put around its words; undefined when it is no turn of a load. */
export function shapeIn(text: string): TurnShape | undefined {
  const found = PATTERN.exec(text);
  if (!found) return undefined;
  const [words = 0, paceMs = 0, tools = 0, wordBytes = 0] = found.slice(1).map(Number);
  return { words, paceMs, tools, wordBytes };
}

/** Before which word the model stops for each of its tools, and the number of words at the end. */
export function stops({ words, tools }: TurnShape): number[] {
  return Array.from({ length: tools + 1 }, (_, step) => Math.floor((words * (step + 1)) / (tools + 1)));
}
