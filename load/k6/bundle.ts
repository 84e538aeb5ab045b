// `node load/k6/bundle.ts [file]`: the k6 script with all that it needs in one file.
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

const ROOT = join(import.meta.dirname, '../..');
const DEFAULT = join(ROOT, '.tools/k6/script.js');

/**
 * Parts of the client's package that only node can run are in the bundle as well, and never called there: in place of node's modules it
 * gets functions that say so.
 */
const withoutNode: Plugin = {
  name: 'without node',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: 'node' }));
    onLoad({ filter: /.*/, namespace: 'node' }, async ({ path }) => {
      const names = Object.keys(await import(path)).filter((name) => name !== 'default');
      return { contents: standIn(path, names), loader: 'js' };
    });
  },
};

function standIn(path: string, names: readonly string[]): string {
  const absent = `const absent = (name) => function () { throw new Error('${path} has no ' + name + ' in k6'); };`;
  const exported = names.map((name) =>
    // Called while modules load, and harmless.
    name === 'promisify'
      ? 'export const promisify = (run) => run;'
      : `export const ${name} = absent('${name}');`,
  );
  return [absent, ...exported, 'export default {};'].join('\n');
}

/**
 * Bundles the script for k6's runtime, which has ES modules and async functions, but no async iterators.
 * @returns what the file imports and exports
 */
export async function bundleScript(outfile: string): Promise<{ imports: string[]; exports: string[] }> {
  const { metafile } = await build({
    entryPoints: [join(import.meta.dirname, 'script.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'es2017',
    supported: { bigint: true },
    external: ['k6', 'k6/*'],
    plugins: [withoutNode],
    logLevel: 'warning',
    metafile: true,
  });
  const [output] = Object.values(metafile.outputs);
  return { imports: output?.imports.map(({ path }) => path) ?? [], exports: output?.exports ?? [] };
}

if (import.meta.main) {
  const outfile = process.argv[2] ?? DEFAULT;
  await bundleScript(outfile);
  console.log(outfile);
}
