import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Standalone, startStandalone } from '@tandem/test-support/cluster';
import type { ScriptedProvider } from '@tandem/test-support/provider';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MODEL, startModel } from '../node/model.ts';
import { bundleScript } from './bundle.ts';

const RUN = join(import.meta.dirname, 'shim/run.ts');
const ITERATIONS = 2;

let folder: string;
let script: string;
let model: ScriptedProvider;
let server: Standalone;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tandem-k6-'));
  script = join(folder, 'script.js');
  await bundleScript(script);
  model = await startModel();
  server = await startStandalone({
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: 'none',
    TANDEM_OPENAI_MODELS: MODEL,
  });
});

afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await model?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the bundle as k6 would, but for its pacing. */
async function run(env: Readonly<Record<string, string>>) {
  const args = ['--experimental-vm-modules', '--no-warnings', RUN, script, String(ITERATIONS)];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env });
  return { figures: JSON.parse(stdout), stderr };
}

test('the bundled k6 script holds turns with a real server, and its thresholds hold', async () => {
  const { figures, stderr } = await run({
    TANDEM_URL: server.url,
    TANDEM_API_KEY: server.apiKey,
    // How fast this machine is today is not the question.
    TANDEM_APPEND_MS: '30000',
  });
  expect({ figures, stderr }).toMatchObject({
    figures: { ok: true, turns: 2 * ITERATIONS, failed: 0 },
    stderr: '',
  });
  expect(figures.append_ms_p50).toBeGreaterThan(0);
  expect(figures.turn_ms_p99).toBeGreaterThan(9000);
});

test('turns that fail break the thresholds', async () => {
  const { figures, stderr } = await run({
    TANDEM_URL: server.url,
    TANDEM_API_KEY: server.apiKey,
    TANDEM_MODEL: 'no-such-model',
  });
  expect(figures).toMatchObject({ ok: false, turns: 2 * ITERATIONS, failed: 2 * ITERATIONS });
  expect(stderr).toContain('does not hold: the turn finished');
});
