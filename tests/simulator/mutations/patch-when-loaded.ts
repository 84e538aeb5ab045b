import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Mutation } from './mutation.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Patches a source file of the product in memory, when it is loaded from now on in this thread.
 * The load throws when the text to be replaced is not there exactly once: the table has to follow the code.
 */
export function patchWhenLoaded({ name, file, find, replace }: Mutation): void {
  const path = `${ROOT}${file}`;
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.startsWith('file:') || fileURLToPath(url) !== path) return loaded;
      const source = String(loaded.source);
      const places = source.split(find).length - 1;
      if (places !== 1) throw new Error(`mutation "${name}": its text stands ${places} times in ${file}`);
      return { ...loaded, source: source.replace(find, () => replace) };
    },
  });
}
