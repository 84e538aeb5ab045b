import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundleScript } from './bundle.ts';

test('the script is one file that asks for nothing but k6, with the functions that k6 calls', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tandem-k6-'));
  try {
    const { imports, exports } = await bundleScript(join(folder, 'script.js'));
    expect(imports.toSorted()).toEqual(['k6', 'k6/http', 'k6/metrics']);
    expect(exports.toSorted()).toEqual(['handleSummary', 'openStream', 'options', 'steadyTurn']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
