/** What a client keeps of a command that runs in the background, as far as it has been read. */
export interface TerminalOutput {
  /** Without what the client itself notes about the command. */
  readonly output: string;
  readonly ended: boolean;
  /** Undefined while it runs, and when the client could not tell. */
  readonly exitCode: number | undefined;
}

const HEADER = /^---\n(?:[^\n]*\n){1,20}?---\n/;
const FOOTER =
  /\n?\n?---\n(?:exit_code: (-?\d+|unknown)|error: [^\n]*)\n(?:elapsed_ms: \d+\n)?ended_at: [^\n]*\n---\n?$/;

/**
 * Takes a terminal file's text apart: notes between two lines of dashes, the output, and once the command has ended notes of
 * the same form.
 * @param fromStart whether the text begins with the file
 */
export function parseTerminal(text: string, fromStart: boolean): TerminalOutput {
  const lines = text.replaceAll('\r\n', '\n');
  const plain = fromStart ? lines.replace(HEADER, '') : lines;
  const footer = FOOTER.exec(plain.slice(-2_000));
  if (!footer) return { output: plain, ended: false, exitCode: undefined };
  const code = Number(footer[1] ?? 'unknown');
  return {
    output: plain.slice(0, plain.length - footer[0].length),
    ended: true,
    exitCode: Number.isInteger(code) ? code : undefined,
  };
}
