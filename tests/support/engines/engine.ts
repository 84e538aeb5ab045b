import { type EngineProcess, startProcess, untilReady } from './engine-process.ts';
import { makeFolder, removeFolder } from './folder.ts';
import { freePort } from './ports.ts';
import type { Program } from './program.ts';

const PORT_ATTEMPTS = 5;

/** An engine of one test run: its own port and folder, which survive restarts. */
export interface Engine {
  readonly url: string;
  readonly port: number;
  /** Changes with each restart. */
  readonly pid: number;
  /** The folder that holds its configuration, data and `engine.log`. */
  readonly folder: string;
  /** Ends it (SIGTERM, then SIGKILL) and removes its folder. */
  stop(): Promise<void>;
  /** Sends a signal, SIGKILL unless told otherwise, and waits for the end that SIGKILL brings. The folder stays. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Ends it if it runs, starts it on the same port and folder, and waits until it is ready. */
  restart(): Promise<void>;
}

/** What tells one kind of engine from another. */
export interface Kind {
  readonly name: string;
  readonly program: Program;
  url(port: number): string;
  /** Writes what it needs into `folder` and returns its arguments. */
  prepare(port: number, folder: string): readonly string[];
  /** Whether the engine that answers on `port` is this one, and serves. */
  isReady(port: number, process: EngineProcess): Promise<boolean>;
}

/** Starts an engine on a free port, or on `port`, and waits until it is ready. */
export async function startEngine(kind: Kind, port?: number): Promise<Engine> {
  const folder = makeFolder(kind.name);
  try {
    const started = await startOnSomePort(kind, folder, port);
    return engineOf(kind, folder, started.port, started.process);
  } catch (error) {
    removeFolder(folder);
    throw error;
  }
}

/** Between the choice of a port and its use somebody else may take it; then another is tried. */
async function startOnSomePort(kind: Kind, folder: string, fixed?: number) {
  for (let attempt = 1; ; attempt += 1) {
    const port = fixed ?? (await freePort());
    const process = startProcess(kind.program, kind.prepare(port, folder), folder);
    try {
      await untilReady(process, () => kind.isReady(port, process));
      return { port, process };
    } catch (error) {
      await process.kill('SIGKILL');
      const taken = /address already in use/i.test(process.log());
      if (!taken || fixed !== undefined || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

function engineOf(kind: Kind, folder: string, port: number, first: EngineProcess): Engine {
  let current = first;
  return {
    url: kind.url(port),
    port,
    folder,
    get pid() {
      return current.pid;
    },
    async stop() {
      await current.stop();
      removeFolder(folder);
    },
    kill: (signal = 'SIGKILL') => current.kill(signal),
    async restart() {
      await current.stop();
      current = startProcess(kind.program, kind.prepare(port, folder), folder);
      await untilReady(current, () => kind.isReady(port, current));
    },
  };
}
