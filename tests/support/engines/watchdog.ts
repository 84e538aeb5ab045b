// Outlives the process that started it by a moment: when its input ends, for whatever reason, it kills the engines
// and removes the folders that were reported to it and not taken back. One JSON object a line, see guard.ts.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Ward } from './guard.ts';

const wards = new Map<string, Ward>();

for await (const line of createInterface({ input: process.stdin })) {
  const { ward, guarded } = JSON.parse(line) as { ward: Ward; guarded: boolean };
  const key = JSON.stringify(ward);
  if (guarded) wards.set(key, ward);
  else wards.delete(key);
}
const left = [...wards.values()];
for (const ward of left.filter((one) => one.kind !== 'folder')) end(ward);
for (const ward of left.filter((one) => one.kind === 'folder')) end(ward);

function end(ward: Ward): void {
  if (ward.kind === 'container') spawnSync('docker', ['rm', '--force', ward.name], { stdio: 'ignore' });
  if (ward.kind === 'folder')
    rmSync(ward.path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  if (ward.kind !== 'process') return;
  try {
    process.kill(ward.pid, 'SIGKILL');
  } catch {
    // It had ended by itself.
  }
}
