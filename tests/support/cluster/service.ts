import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { guard, release } from '../engines/guard.ts';

const ROOT = join(import.meta.dirname, '../../..');
const STOP_MS = 15_000;

/** How to start one of our own programs. */
export interface ServiceOptions {
  /** For messages. */
  readonly name: string;
  /** Its main file, from the root of the repository. */
  readonly main: string;
  readonly args?: readonly string[];
  /** Its whole environment beside PATH. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Arguments of node itself. */
  readonly nodeArgs?: readonly string[];
  /** Whether it can be asked things by its parent. */
  readonly ipc?: boolean;
}

/** A process of our own, whatever it does. */
export interface Service extends AsyncDisposable {
  readonly name: string;
  readonly pid: number;
  /** All that it wrote so far. */
  output(): string;
  /** Resolves with what a line of stdout or stderr gave to `match`. @throws Error when the process ends before */
  line(match: RegExp): Promise<RegExpExecArray>;
  /** Resolves with the exit code, or the signal's name, once the process has ended. */
  readonly exited: Promise<number | string>;
  /** Tells it something (with `ipc`), and resolves with its next message. @throws Error when it ends before */
  ask(message: object): Promise<unknown>;
  /** SIGKILL, and waits for the end. */
  kill(): Promise<void>;
  /** SIGSTOP: it stands still, with its sockets open. */
  pause(): void;
  /** SIGCONT. */
  resume(): void;
  /** An orderly end: SIGTERM unless told otherwise, SIGKILL after 15 s. Resolves as `exited`. */
  stop(signal?: NodeJS.Signals): Promise<number | string>;
}

/** Starts a program of ours with this very node. It ends with the test run, whatever happens to that. */
export function startService(options: ServiceOptions): Service {
  const { name, main, args = [], env = {}, cwd = ROOT, nodeArgs = [], ipc = false } = options;
  const child = spawn(process.execPath, [...nodeArgs, join(ROOT, main), ...args], {
    cwd,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: join(ROOT, '.tools/compile-cache'), ...env },
    stdio: ['ignore', 'pipe', 'pipe', ...(ipc ? (['ipc'] as const) : [])],
    detached: true,
  }) as ChildProcessByStdio<null, Readable, Readable>;
  const { pid } = child;
  if (pid === undefined) throw new Error(`cannot start ${name}`);
  guard({ kind: 'process', pid });

  let output = '';
  const watchers = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      for (const watch of watchers) watch();
    });
  }
  const exited = ending(child).then((code) => {
    release({ kind: 'process', pid });
    for (const watch of watchers) watch();
    return code;
  });
  const answers: PromiseWithResolvers<unknown>[] = [];
  child.on('message', (answer) => answers.shift()?.resolve(answer));
  void exited.then(() => {
    for (const { reject } of answers) reject(new Error(`${name} ended:\n${output}`));
  });
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;

  const service: Service = {
    name,
    pid,
    exited,
    output: () => output,
    line: (match) => {
      const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
      const watch = () => {
        const found = match.exec(output);
        if (found) resolve(found);
        else if (hasEnded()) reject(new Error(`${name} ended before it said ${match}:\n${output}`));
        else return;
        watchers.delete(watch);
      };
      watchers.add(watch);
      watch();
      return promise;
    },
    ask: (message) => {
      const answer = Promise.withResolvers<unknown>();
      answers.push(answer);
      child.send(message);
      return answer.promise;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    stop: async (signal = 'SIGTERM') => {
      child.kill('SIGCONT');
      child.kill(signal);
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      const code = await exited;
      clearTimeout(timer);
      return code;
    },
    [Symbol.asyncDispose]: async () => void (await service.stop()),
  };
  return service;
}

/** `close`, not `exit`: by then all output has been read. */
async function ending(child: ChildProcess): Promise<number | string> {
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return code ?? signal ?? 'unknown';
}
