/** Most characters of one tool result that a model is given. */
export const OUTPUT_CHARS = 40_000;

/** Most characters of one line. */
const LINE_CHARS = 2_000;

/** The beginning of a text, with a note of what was left out. */
export function cutEnd(text: string, limit = OUTPUT_CHARS): string {
  if (text.length <= limit) return text;
  const kept = text.slice(0, whole(text, limit));
  return `${kept}\n[Cut: ${text.length - kept.length} more characters are not shown.]`;
}

/** Beginning and end of a text, with a note of what was left out between them. */
export function cutMiddle(text: string, limit = OUTPUT_CHARS): string {
  if (text.length <= limit) return text;
  const head = whole(text, Math.floor(limit / 2));
  const tail = whole(text, text.length - Math.ceil(limit / 2));
  return `${text.slice(0, head)}\n[... ${tail - head} characters left out ...]\n${text.slice(tail)}`;
}

/** One line, with a note when it was cut. */
export function cutLine(line: string): string {
  if (line.length <= LINE_CHARS) return line;
  const kept = line.slice(0, whole(line, LINE_CHARS));
  return `${kept} [${line.length - kept.length} more characters]`;
}

/** Moves a place in a text so that it splits no surrogate pair. */
export function whole(text: string, index: number): number {
  const code = text.charCodeAt(index - 1);
  return code >= 0xd800 && code <= 0xdbff ? index - 1 : index;
}
