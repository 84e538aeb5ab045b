import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** A piece of a source file that is put in another's place while the file is loaded. */
export interface Patch {
  /** Relative to the repository. */
  readonly file: string;
  /** Must stand in the file exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** One mechanism, broken on purpose. */
export interface Mutation {
  readonly name: string;
  readonly patches: readonly Patch[];
}

/** Where a patch's file is. */
export function pathOf({ file }: Patch): string {
  return `${ROOT}${file}`;
}

/** What of a mutation no longer fits the code: the table has to follow it. Undefined: it fits. */
export function misfitOf({ patches }: Mutation): string | undefined {
  for (const patch of patches) {
    const places = readFileSync(pathOf(patch), 'utf8').split(patch.find).length - 1;
    if (places !== 1) return `its text stands ${places} times in ${patch.file}`;
  }
  return undefined;
}
