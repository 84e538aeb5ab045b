import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { guard, release } from '../../tests/support/engines/guard.ts';
import type { Built } from './build.ts';
import { healthCommand } from './dockerfile.ts';

const START_MS = 60_000;
const STOP_MS = 30_000;
const PAUSE_MS = 250;
/** The user that the images name. */
const USER = 1000;

type Environment = Readonly<Record<string, string>>;

/** A service that runs as its image says: its command, its user, a folder that it cannot write to. */
export class Container implements AsyncDisposable {
  readonly #node: string;
  readonly #built: Built;
  readonly #env: Environment;
  readonly #child: ChildProcess;
  #output = '';

  /** @param node the program that stands for the image's Node */
  constructor(node: string, built: Built, env: Environment) {
    this.#node = node;
    this.#built = built;
    this.#env = env;
    const command = built.stage.steps.findLast(({ keyword }) => keyword === 'CMD')?.json ?? [];
    const collect = (text: unknown) => {
      this.#output += text;
    };
    this.#child = spawn(node, command.slice(1), { ...this.#options(), stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child.once('error', collect);
    if (this.#child.pid !== undefined) guard({ kind: 'process', pid: this.#child.pid });
    this.#child.stdout?.setEncoding('utf8').on('data', collect);
    this.#child.stderr?.setEncoding('utf8').on('data', collect);
  }

  /** Waits until the image's own health check passes. @throws Error with the output when it never does */
  async healthy(port: number): Promise<void> {
    const step = this.#built.stage.steps.findLast(({ keyword }) => keyword === 'HEALTHCHECK');
    const [, script = ''] = (step && healthCommand(step)) ?? [];
    const until = Date.now() + START_MS;
    while (Date.now() < until && this.#child.exitCode === null) {
      if (this.run([script, String(port)]).status === 0) return;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    throw new Error(`${this.#built.stage.name} did not get healthy:\n${this.#output}`);
  }

  /** Runs Node with arguments within the image. */
  run(args: readonly string[], env: Environment = {}) {
    return spawnSync(this.#node, args, { ...this.#options(env), encoding: 'utf8', timeout: START_MS });
  }

  /** Ends it in order. @throws Error with the output when it does not end with 0 */
  async [Symbol.asyncDispose](): Promise<void> {
    const { pid } = this.#child;
    if (this.#child.exitCode === null) {
      this.#child.kill('SIGTERM');
      const timer = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MS);
      await once(this.#child, 'close');
      clearTimeout(timer);
    }
    if (pid !== undefined) release({ kind: 'process', pid });
    const { exitCode, signalCode } = this.#child;
    if (exitCode === 0) return;
    throw new Error(`${this.#built.stage.name} ended with ${exitCode ?? signalCode}:\n${this.#output}`);
  }

  #options(env: Environment = {}) {
    const root = process.getuid?.() === 0;
    return {
      cwd: join(this.#built.folder, this.#built.workdir),
      env: { ...this.#built.env, ...this.#env, ...env },
      ...(root && { uid: USER, gid: USER }),
    };
  }
}
