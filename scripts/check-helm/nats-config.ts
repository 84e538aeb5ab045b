import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeObject, Workload } from './chart.ts';
import { resolved } from './service-config.ts';

/** Has the server itself read the configuration that the chart makes for it, with passwords that are hard to quote. */
export function natsConfigFaults(
  program: string,
  objects: readonly KubeObject[],
  workloads: readonly Workload[],
): string[] {
  const config = objects.find(({ kind, data }) => kind === 'ConfigMap' && data['nats.conf'])?.data[
    'nats.conf'
  ];
  const container = workloads.find(({ component }) => component === 'nats')?.containers[0];
  if (!config || !container) return [];
  const folder = mkdtempSync(join(tmpdir(), 'tandem-nats-'));
  try {
    writeFileSync(join(folder, 'nats.conf'), config);
    return ['0123456789', '1e5', 'a-B_c.d'].flatMap((secret) => {
      const done = spawnSync(program, ['-t', '--config', join(folder, 'nats.conf')], {
        env: resolved(container, secret),
        encoding: 'utf8',
      });
      return done.status === 0 ? [] : [`nats.conf with a secret such as ${secret}: ${done.stderr.trim()}`];
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
