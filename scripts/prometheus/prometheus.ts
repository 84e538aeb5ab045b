import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { isAtLeast, onPath } from '../../tests/support/engines/command.ts';
import { firstOf } from '../../tests/support/engines/program.ts';
import { fromDebian, fromPath } from '../../tests/support/engines/sources.ts';
import { root } from '../toolchain.mjs';

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}

export const ALERTS_FILE = join(root, 'deploy/helm/tandem/files/prometheus/alerts.yml');
export const ALERT_TESTS_FILE = join(root, 'deploy/prometheus/alerts.test.yml');

/** The alerts that are delivered. */
export function readAlerts(): Alert[] {
  const { groups } = parse(readFileSync(ALERTS_FILE, 'utf8')) as { groups: { rules: Alert[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

const NAMES = ['prometheus'];
const serves = (version: string) => isAtLeast(version, 2, 40);

/** Finds Prometheus or installs Debian's. @throws Error that says why neither goes, and what would help */
export async function findPrometheus(
  say: (line: string) => void,
): Promise<{ prometheus: string; promtool: string }> {
  const advice = () =>
    process.platform === 'darwin' ? 'brew install prometheus' : 'sudo apt-get install -y prometheus';
  const found = await firstOf(
    'prometheus',
    [fromPath(NAMES, serves), fromDebian(NAMES, serves)],
    advice,
    say,
  );
  const promtool = onPath('promtool');
  if (found.kind !== 'binary' || !promtool)
    throw new Error(`prometheus came without promtool\nRun: ${advice()}`);
  return { prometheus: found.path, promtool };
}

/** Runs promtool. @returns what it found wrong */
export function promtoolFaults(promtool: string, args: readonly string[], input = ''): string[] {
  const { status, stdout, stderr } = spawnSync(promtool, args, { encoding: 'utf8', input });
  return status === 0 ? [] : [`${stdout}${stderr}`.trim()];
}
