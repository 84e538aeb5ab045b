import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Mutation } from './mutation.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Patches source files of the product in memory, when they are loaded from now on in this thread.
 * A load throws when a text to be replaced is not there exactly once: the table has to follow the code.
 */
export function patchWhenLoaded({ name, patches }: Mutation): void {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.startsWith('file:')) return loaded;
      const path = fileURLToPath(url);
      const own = patches.filter(({ file }) => path === `${ROOT}${file}`);
      if (own.length === 0) return loaded;
      let source = String(loaded.source);
      for (const { file, find, replace } of own) {
        const places = source.split(find).length - 1;
        if (places !== 1) throw new Error(`mutation "${name}": its text stands ${places} times in ${file}`);
        source = source.replace(find, () => replace);
      }
      return { ...loaded, source };
    },
  });
}
