/**
 * Replaces a text that must occur exactly once, or everywhere. A file with CRLF line ends is matched as if it had plain
 * ones, and keeps its own.
 */
export function replaceExactly(
  text: string,
  search: string,
  replacement: string,
  all: boolean,
): { text: string; count: number } | { fault: string } {
  if (search === '') return { fault: 'old_string is empty, but the file exists.' };
  if (search === replacement) return { fault: 'old_string and new_string are the same.' };
  const attempts = [[search, replacement]];
  if (text.includes('\r\n')) attempts.push([toCrlf(search), toCrlf(replacement)]);
  for (const [old = '', next = ''] of attempts) {
    const pieces = text.split(old);
    const count = pieces.length - 1;
    if (count === 0) continue;
    if (count > 1 && !all) {
      return {
        fault: `old_string occurs ${count} times. Give more of what stands around it, or set replace_all.`,
      };
    }
    return { text: pieces.join(next), count };
  }
  return { fault: 'old_string does not occur. Read the file again and copy the text exactly.' };
}

function toCrlf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}
