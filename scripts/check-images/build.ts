import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import dockerignore from '@balena/dockerignore';
import { bin, root } from '../toolchain.mjs';
import { assignments, readStages, type Stage, type Step } from './dockerfile.ts';

/** A stage as it stands after its steps. */
export interface Built {
  /** The stage's root folder. */
  readonly folder: string;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stage: Stage;
}

/** Carries out the steps of a Dockerfile without Docker: each stage in a folder of its own, with this machine's programs. */
export class Builder {
  readonly #stages: ReadonlyMap<string, Stage>;
  readonly #context = dockerignore.default().add(fs.readFileSync(join(root, '.dockerignore'), 'utf8'));
  readonly #built = new Map<string, Built>();
  readonly #home: string;
  readonly #say: (line: string) => void;

  /** @param home an empty folder for the stages */
  constructor(dockerfile: string, home: string, say: (line: string) => void) {
    this.#stages = new Map(readStages(dockerfile).map((stage) => [stage.name, stage]));
    this.#home = home;
    this.#say = say;
    // In place of the base image's Node; a copy, since the image's user may not get at ours.
    fs.mkdirSync(join(home, '.bin'));
    fs.copyFileSync(join(bin, 'node'), this.node);
    fs.chmodSync(this.node, 0o755);
  }

  /** The Node that builds and runs. */
  get node(): string {
    return join(this.#home, '.bin', 'node');
  }

  /** Builds a stage and what it needs. @throws Error when a step fails */
  build(name: string): Built {
    const known = this.#built.get(name);
    if (known) return known;
    const stage = this.#stages.get(name);
    if (!stage) throw new Error(`no stage ${name}`);
    const base = this.#stages.has(stage.base) ? this.build(stage.base) : undefined;
    const folder = join(this.#home, name);
    if (base) copy(base.folder, folder);
    else fs.mkdirSync(folder, { recursive: true });
    let built: Built = { folder, workdir: base?.workdir ?? '/', env: { ...base?.env }, stage };
    for (const step of stage.steps) built = this.#carryOut(step, built);
    this.#built.set(name, built);
    return built;
  }

  #carryOut(step: Step, built: Built): Built {
    switch (step.keyword) {
      case 'WORKDIR':
        fs.mkdirSync(join(built.folder, step.text), { recursive: true });
        return { ...built, workdir: step.text };
      case 'ENV':
        return { ...built, env: { ...built.env, ...assignments(step.text) } };
      case 'COPY':
        this.#copy(step, built);
        return built;
      case 'RUN':
        this.#run(step, built);
        return built;
      default:
        return built;
    }
  }

  #copy({ text, flags }: Step, { folder, workdir, stage }: Built): void {
    const words = text.split(/\s+/);
    const target = words.pop() ?? '';
    const from = flags.from === undefined ? undefined : this.build(flags.from).folder;
    for (const source of words) {
      const path = join(from ?? root, source);
      if (!fs.existsSync(path)) throw new Error(`${stage.name}: COPY ${source}: is not there`);
      const into = target.endsWith('/') && !fs.statSync(path).isDirectory() ? basename(source) : '';
      const destination = join(folder, target.startsWith('/') ? '' : workdir, target, into);
      if (from) copy(path, destination);
      else this.#copyFromContext(source, destination);
    }
  }

  #copyFromContext(source: string, destination: string): void {
    const files = fs.statSync(join(root, source)).isDirectory()
      ? fs
          .globSync('**/*', { cwd: join(root, source), exclude: (name) => name === 'node_modules' })
          .map((name) => join(source, name))
      : [source];
    for (const file of files) {
      if (this.#context.ignores(file) || fs.statSync(join(root, file)).isDirectory()) continue;
      const to = join(destination, relative(source, file));
      fs.mkdirSync(dirname(to), { recursive: true });
      fs.cpSync(join(root, file), to);
    }
    if (!fs.existsSync(destination)) throw new Error(`COPY ${source}: .dockerignore leaves nothing of it`);
  }

  #run({ text, flags }: Step, { folder, workdir, env, stage }: Built): void {
    const cache = /target=([^,\s]+)/.exec(flags.mount ?? '')?.[1];
    const command = cache ? text.replaceAll(cache, join(this.#home, '.cache')) : text;
    this.#say(`${stage.name}: ${command}`);
    const done = spawnSync('sh', ['-c', command], {
      cwd: join(folder, workdir),
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      env: {
        ...env,
        PATH: `${folder}/usr/local/bin:${this.#home}/.bin:/usr/local/bin:/usr/bin:/bin`,
        HOME: join(this.#home, '.home'),
        NPM_CONFIG_PREFIX: join(folder, 'usr/local'),
        ...registryOf(process.env),
      },
    });
    if (done.status !== 0) throw new Error(`${stage.name}: RUN ${command}\n${done.stdout}${done.stderr}`);
  }
}

/** Where packages come from is the machine's matter. */
function registryOf(env: NodeJS.ProcessEnv): Record<string, string> {
  const names = Object.keys(env).filter((name) =>
    /^(npm_config_(registry|cafile)|(https?|no)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE)$/i.test(name),
  );
  return Object.fromEntries(names.map((name) => [name, env[name] ?? '']));
}

function copy(from: string, to: string): void {
  fs.mkdirSync(dirname(to), { recursive: true });
  // What is in a folder goes into a folder that is there.
  const source = fs.statSync(from).isDirectory() && fs.existsSync(to) ? `${from}/.` : from;
  const done = spawnSync('cp', ['-a', source, to], { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(done.stderr);
}
