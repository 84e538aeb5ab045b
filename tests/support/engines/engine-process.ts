import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { guard, release, type Ward } from './guard.ts';
import type { Program } from './program.ts';

const STOP_MS = 5_000;
const READY_MS = 20_000;
const POLL_MS = 20;

/** A running engine whose files are all in one folder. */
export interface EngineProcess {
  /** The engine's process id; of an engine in a container, that of the client which runs it. */
  readonly pid: number;
  /** Whether it has ended, by itself or by a signal. */
  readonly ended: boolean;
  /** Sends a signal; resolves once it was delivered, for SIGKILL once the engine has ended. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** SIGTERM, after 5 s SIGKILL; resolves once it has ended. A paused engine is continued first. */
  stop(): Promise<void>;
  /** The end of what it logged. */
  log(): string;
}

/** Starts `program`; `folder` is an absolute path that exists, the log goes there. */
export function startProcess(program: Program, args: readonly string[], folder: string): EngineProcess {
  const name = basename(folder);
  const logFile = join(folder, 'engine.log');
  const log = openSync(logFile, 'a');
  const [command, commandArgs] = commandLine(program, args, folder, name);
  // Detached: a Ctrl-C at the terminal is for the test run, which then ends its engines in order.
  const child = spawn(command, commandArgs, { detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  const pid = child.pid;
  if (pid === undefined) throw new Error(`cannot start ${program.label}`);
  const ward: Ward = program.kind === 'docker' ? { kind: 'container', name } : { kind: 'process', pid };
  guard(ward);
  child.once('exit', () => release(ward));

  const send = (signal: NodeJS.Signals) => {
    if (hasEnded(child)) return;
    if (program.kind === 'docker')
      spawnSync('docker', ['kill', '--signal', signal, name], { stdio: 'ignore' });
    else child.kill(signal);
  };
  return {
    pid,
    get ended() {
      return hasEnded(child);
    },
    async kill(signal) {
      send(signal);
      if (signal === 'SIGKILL') await ending(child);
    },
    async stop() {
      send('SIGCONT');
      send('SIGTERM');
      const timer = setTimeout(() => send('SIGKILL'), STOP_MS);
      await ending(child);
      clearTimeout(timer);
    },
    log: () => readFileSync(logFile, 'utf8').split('\n').slice(-20).join('\n'),
  };
}

/**
 * Waits until `isReady` resolves to true, asked again every 20 ms.
 * @throws Error with the end of the log when the engine ended or 20 s have passed.
 */
export async function untilReady(engine: EngineProcess, isReady: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + READY_MS;
  while (!(await isReady())) {
    if (engine.ended) throw new Error(`engine ended while starting:\n${engine.log()}`);
    if (performance.now() > deadline) throw new Error(`engine not ready in ${READY_MS} ms:\n${engine.log()}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function commandLine(
  program: Program,
  args: readonly string[],
  folder: string,
  name: string,
): [command: string, args: string[]] {
  if (program.kind === 'binary') return [program.path, [...args]];
  const user = `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
  const options = [
    '--rm',
    '--network',
    'host',
    '--name',
    name,
    '--user',
    user,
    '--volume',
    `${folder}:${folder}`,
  ];
  return ['docker', ['run', ...options, '--entrypoint', program.command, program.image, ...args]];
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function ending(child: ChildProcess): Promise<void> {
  if (!hasEnded(child)) await once(child, 'exit');
}
