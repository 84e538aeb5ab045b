// A thread that runs seeds, one after the other. With a mutation, the product's code is patched as it is loaded.
import { parentPort, workerData } from 'node:worker_threads';
import type { Mutation } from '../mutations/mutation.ts';
import { patchWhenLoaded } from '../mutations/patch-when-loaded.ts';

const { mutation } = workerData as { readonly mutation?: Mutation };
if (mutation) patchWhenLoaded(mutation);
// Only now: everything below has to go through the patch.
const { runSeed } = await import('./run-seed.ts');

parentPort?.on('message', async (seed: number) => {
  try {
    parentPort?.postMessage(await runSeed(seed));
  } catch (error) {
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const violations = [{ check: 'threw', what }];
    parentPort?.postMessage({ seed, violations, digest: '', counts: {}, history: [] });
  }
});
