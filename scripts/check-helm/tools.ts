// The programs and schemas that the checks use, by exact version, each by Go's own client.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { tools as toolsFolder } from '../toolchain.mjs';

const PROGRAMS = {
  helm3: 'helm.sh/helm/v3/cmd/helm@v3.22.0',
  helm4: 'helm.sh/helm/v4/cmd/helm@v4.3.1',
  'kubectl-validate': 'sigs.k8s.io/kubectl-validate@v0.0.4',
  'kube-score': 'github.com/zegl/kube-score/cmd/kube-score@v1.20.0',
} as const;
/** Definitions of custom resources, in modules of those who define them. */
const DEFINITIONS = [
  'github.com/prometheus-operator/prometheus-operator@v0.85.0/example/prometheus-operator-crd',
  'sigs.k8s.io/gateway-api@v1.6.3/config/crd/standard',
  'github.com/kedacore/keda/v2@v2.20.2/config/crd/bases',
];
/** The schema of Compose files, in the module of those who read them. */
const COMPOSE_SCHEMA = 'github.com/compose-spec/compose-go/v2@v2.16.2/schema/compose-spec.json';

/** Paths of what the checks need. */
export interface Tools extends Readonly<Record<keyof typeof PROGRAMS, string>> {
  /** Of our own: see verdicts/main.go. */
  readonly verdicts: string;
  /** Folders with definitions of custom resources. */
  readonly definitions: readonly string[];
  readonly composeSchema: string;
}

/** A tool is missing and cannot be made here; the message says what to do. */
export class ToolMissing extends Error {
  override readonly name = 'ToolMissing';
}

/** Builds and fetches what is not there yet: some minutes the first time, seconds later. @throws ToolMissing */
export function fetchTools(say: (line: string) => void): Tools {
  say('building Helm and the validators (some minutes the first time)');
  const home = join(toolsFolder, 'helm');
  const programs = Object.entries(PROGRAMS).map(([name, source]) => {
    const GOBIN = join(home, name, source.slice(source.lastIndexOf('@') + 1));
    go(['install', '-trimpath', '-p', '1', source], { GOBIN });
    return [name, join(GOBIN, name.replace(/\d$/, ''))];
  });
  const verdicts = join(home, 'verdicts');
  go(['build', '-trimpath', '-p', '1', '-o', verdicts, '.'], {}, join(import.meta.dirname, 'verdicts'));
  const definitions = DEFINITIONS.map(fetched);
  return { ...Object.fromEntries(programs), verdicts, definitions, composeSchema: fetched(COMPOSE_SCHEMA) };
}

/** Where a file or folder of a module is, named `module@version/path`. */
function fetched(source: string): string {
  const [, module = '', path = ''] = /^(.*?@[^/]+)\/(.*)$/.exec(source) ?? [];
  return join((JSON.parse(go(['mod', 'download', '-json', module])) as { Dir: string }).Dir, path);
}

function go(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd = dirname(toolsFolder),
): string {
  const options = { cwd, env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '', ...env }, maxBuffer: 1 << 26 };
  const done = spawnSync('go', args, { ...options, encoding: 'utf8' });
  if (done.error) {
    throw new ToolMissing(
      'Go is not on the PATH, and Helm and the Kubernetes schemas are built with it.\n' +
        'Install Go 1.26 or newer (`apt-get install golang`, `brew install go` or https://go.dev/dl), then run: npm run check:helm',
    );
  }
  if (done.status === 0) return done.stdout;
  throw new ToolMissing(
    `go ${args.join(' ')} failed:\n${done.stderr.trim().split('\n').slice(-8).join('\n')}`,
  );
}
