import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { guard, release } from '../../../tests/engines/guard.ts';

const ROOT = join(import.meta.dirname, '../../..');
const PRELOAD = join(import.meta.dirname, 'preload.ts');
const STOP_MS = 10_000;

/** How a program of ours is started to be measured. */
export interface ProgramOptions {
  readonly name: string;
  /** Its main file, from the root of the repository. */
  readonly main: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A folder for a CPU profile, written when the process ends. */
  readonly profileFolder?: string | undefined;
}

/** Bytes of a process after a collection of garbage. */
export interface Memory {
  readonly rss: number;
  readonly heapUsed: number;
  readonly external: number;
}

/** A process whose CPU time and memory are looked at from outside. */
export interface MeasuredProcess {
  readonly name: string;
  readonly pid: number;
  /** Resolves with the first match of what it writes. @throws Error when it ends before */
  line(match: RegExp): Promise<RegExpExecArray>;
  /** User and system time of all its threads so far, milliseconds. */
  cpuMs(): Promise<number>;
  /** Collects its garbage, then tells what it holds. */
  settledMemory(): Promise<Memory>;
  /** Keeps it on these CPUs from now on. */
  pin(cpus: string): void;
  /** Tells it something, and resolves with its next message. */
  ask(message: object): Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts a program with this very node. It ends with this process, whatever happens to that. */
export function startProgram({ name, main, env = {}, profileFolder }: ProgramOptions): MeasuredProcess {
  const profiling = profileFolder ? ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`] : [];
  const args = ['--expose-gc', ...profiling, '--import', PRELOAD, join(ROOT, main)];
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: join(ROOT, '.tools/compile-cache'), ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`cannot start ${name}`);
  guard({ kind: 'process', pid });
  const output = collectOutput(child);
  const closed = once(child, 'close').then(() => release({ kind: 'process', pid }));
  const ended = closed.then(() => Promise.reject(new Error(`${name} ended:\n${output.text()}`)));
  ended.catch(() => {});

  const answers: ((answer: unknown) => void)[] = [];
  child.on('message', (answer) => answers.shift()?.(answer));
  const ask = (message: object): Promise<unknown> => {
    const answered = new Promise((resolve) => answers.push(resolve));
    child.send(message);
    return Promise.race([answered, ended]);
  };
  return {
    name,
    pid,
    line: (match) => output.line(match, name),
    cpuMs: async () => (await ask({ cpu: true })) as number,
    settledMemory: async () => (await ask({ memory: true })) as Memory,
    pin: (cpus) => pinProcess(pid, cpus),
    ask,
    async stop() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await closed;
      clearTimeout(timer);
    },
  };
}

/** Keeps all threads of a process on some CPUs, where the system can. */
export function pinProcess(pid: number, cpus: string): void {
  spawnSync('taskset', ['-acp', cpus, String(pid)], { stdio: 'ignore' });
}

function collectOutput(child: ChildProcess) {
  let text = '';
  const watchers = new Set<() => void>();
  const changed = () => {
    for (const watch of watchers) watch();
  };
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (more: string) => {
      text = (text + more).slice(-100_000);
      changed();
    });
  }
  child.once('exit', changed);
  return {
    text: () => text,
    line: (match: RegExp, name: string) =>
      new Promise<RegExpExecArray>((resolve, reject) => {
        const watch = () => {
          const found = match.exec(text);
          if (found) resolve(found);
          else if (child.exitCode !== null)
            reject(new Error(`${name} ended before it said ${match}:\n${text}`));
          else return;
          watchers.delete(watch);
        };
        watchers.add(watch);
        watch();
      }),
  };
}
