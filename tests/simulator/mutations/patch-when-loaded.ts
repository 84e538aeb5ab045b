import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { type Mutation, pathOf } from './mutation.ts';

/** Patches source files of the product in memory, when they are loaded from now on in this thread. */
export function patchWhenLoaded({ patches }: Mutation): void {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.startsWith('file:')) return loaded;
      const path = fileURLToPath(url);
      const own = patches.filter((patch) => path === pathOf(patch));
      if (own.length === 0) return loaded;
      let source = String(loaded.source);
      for (const { find, replace } of own) source = source.replace(find, () => replace);
      return { ...loaded, source };
    },
  });
}
