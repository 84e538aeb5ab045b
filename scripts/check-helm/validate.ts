import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KubeObject, nameOf } from './objects.ts';
import type { Document } from './render.ts';
import type { Tools } from './tools/fetch.ts';
import { KUBERNETES } from './tools/pins.ts';

/**
 * Validates rendered documents against the API server's own schemas and the definitions of custom resources; each text
 * once, however many renderings have it.
 */
export function validationFaults(documents: readonly Document[], { validate, definitions }: Tools): string[] {
  const different = new Map(documents.map(({ text, object }) => [text, object]));
  const folder = mkdtempSync(join(tmpdir(), 'tandem-validate-'));
  try {
    const names = new Map<string, KubeObject>();
    for (const [index, [text, object]] of [...different].entries()) {
      const path = join(folder, `${index}.yaml`);
      writeFileSync(path, text);
      names.set(path, object);
    }
    const args = ['--version', KUBERNETES, '--local-crds', definitions, '--output', 'json', folder];
    const done = spawnSync(validate, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
    if (done.error) throw done.error;
    const answers = JSON.parse(done.stdout || '{}') as Record<
      string,
      readonly { status?: string; message?: string }[]
    >;
    const missing = [...names.keys()].filter((path) => !(path in answers));
    const faults = Object.entries(answers).flatMap(([path, results]) =>
      results
        .filter(({ status }) => status !== 'Success')
        .map(({ message }) => [path, message ?? 'invalid'] as const),
    );
    return [...missing.map((path) => [path, 'was not validated'] as const), ...faults].map(
      ([path, message]) => {
        const object = names.get(path);
        return `${object ? nameOf(object) : path}: ${message}`;
      },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
