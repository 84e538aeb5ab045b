/** Something that runs as an engine: a program of this machine, or one inside a container image. */
export type Program =
  | { readonly kind: 'binary'; readonly path: string; readonly label: string }
  | { readonly kind: 'docker'; readonly image: string; readonly command: string; readonly label: string };

/** One way to come by a program. */
export interface Source {
  readonly name: string;
  /** The program, or why this way is closed. A source that fetches or builds something tells so through `say`. */
  find(say: (line: string) => void): Program | string | Promise<Program | string>;
}

/**
 * The program of the first source that has it. `say` is told which one it is.
 * @throws Error that lists each source's reason and ends with `advice`, the one command that would help.
 */
export async function firstOf(
  engine: string,
  sources: readonly Source[],
  advice: () => string,
  say: (line: string) => void,
): Promise<Program> {
  const reasons: string[] = [];
  for (const source of sources) {
    const found = await source.find(say);
    if (typeof found !== 'string') {
      say(`${engine}: ${found.label}`);
      return found;
    }
    reasons.push(`  ${source.name}: ${found}`);
  }
  throw new Error(`no ${engine} for the tests\n${reasons.join('\n')}\nRun: ${advice()}`);
}
