import { isAtLeast, onPath } from '../../tests/support/engines/command.ts';
import { firstOf } from '../../tests/support/engines/program.ts';
import { fromDebian, fromPath } from '../../tests/support/engines/sources.ts';

const NAMES = ['prometheus'];
const serves = (version: string) => isAtLeast(version, 2, 40);

/** Where Prometheus and its tool are. */
export interface PrometheusPrograms {
  readonly prometheus: string;
  readonly promtool: string;
}

/** Finds Prometheus or installs Debian's. @throws Error that says why neither goes, and what would help */
export async function findPrometheus(say: (line: string) => void): Promise<PrometheusPrograms> {
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
