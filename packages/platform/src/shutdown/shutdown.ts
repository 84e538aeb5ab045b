import type { EventEmitter } from 'node:events';
import { TandemError } from '@tandem/errors';
import type { Logger } from '../log/logger.ts';

/** One thing to do before the process ends. The signal fires when the time for it is over. */
export type ShutdownHook = (signal: AbortSignal) => Promise<void> | void;

/** What is needed of a process; `process` itself by default. */
export type ProcessPort = Pick<EventEmitter, 'on' | 'off'> & { exit(code: number): void };

/** A fault that nobody caught. */
export type UncaughtKind = 'unhandled_rejection' | 'uncaught_exception';

/** Options of {@link createShutdown}. */
export interface ShutdownOptions {
  log: Logger;
  /** The time for all hooks together, in milliseconds; then the process ends as it is. */
  graceMs: number;
  signals?: readonly NodeJS.Signals[];
  /** Counts faults that nobody caught. */
  onUncaught?: (kind: UncaughtKind) => void;
  process?: ProcessPort;
  /** Milliseconds, from any origin. */
  now?: () => number;
}

/** Within so long of the first, a signal is its echo: npm passes on what the terminal sent to the whole group. */
const ECHO_MS = 1000;

/** The end of a process, in order. */
export interface Shutdown {
  /** Aborted when the end begins. */
  readonly signal: AbortSignal;
  /**
   * Adds a hook. The last one added runs first: what was opened last is closed first.
   *
   * @returns a function that takes the hook out again
   */
  add(name: string, hook: ShutdownHook): () => void;
  /**
   * Begins the end: runs the hooks one after the other, then exits with the code, or with 1 when a hook failed or time
   * ran out. Called again it waits, and the higher code counts.
   */
  begin(why: string, exitCode?: number): Promise<void>;
  /** Stops listening to signals and faults, without ending anything. */
  dispose(): void;
}

const SIGNAL_NUMBERS: Partial<Record<NodeJS.Signals, number>> = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };

/**
 * Listens for the signals that end a process, and for faults that nobody caught. The first signal begins an orderly end
 * with exit code 0, a second one ends the process at once. An uncaught exception ends it in order, with code 1, since
 * nobody knows what it left half done; a rejection that nobody handled is logged and counted.
 */
export function createShutdown(options: ShutdownOptions): Shutdown {
  const { log, graceMs, signals = ['SIGTERM', 'SIGINT'], process: port = process } = options;
  const now = options.now ?? (() => performance.now());
  let endingSince = 0;
  const hooks: { name: string; run: ShutdownHook }[] = [];
  const started = new AbortController();
  let ending: Promise<void> | undefined;
  let code = 0;

  const begin = (why: string, exitCode = 0) => {
    code = Math.max(code, exitCode);
    if (!ending) {
      // Set before any hook runs, since a hook may call this again.
      const done = Promise.withResolvers<void>();
      ending = done.promise;
      end(why).then(done.resolve, done.reject);
    }
    return ending;
  };

  async function end(why: string): Promise<void> {
    endingSince = now();
    log.info({ why, graceMs }, 'shutting down');
    started.abort(new TandemError('draining'));
    const failed = await runHooks(hooks, graceMs, log);
    log.info({ failed }, 'shut down');
    port.exit(failed > 0 ? 1 : code);
  }

  const listeners: [string, (argument: unknown) => void][] = signals.map((name) => [
    name,
    () => {
      if (ending && now() - endingSince < ECHO_MS) return;
      if (ending) {
        log.warn({ signal: name }, 'second signal: ending at once');
        port.exit(128 + (SIGNAL_NUMBERS[name] ?? 0));
      } else void begin(name);
    },
  ]);
  listeners.push(['unhandledRejection', (reason) => uncaught('unhandled_rejection', reason)]);
  listeners.push(['uncaughtException', (error) => uncaught('uncaught_exception', error)]);

  function uncaught(kind: UncaughtKind, error: unknown): void {
    options.onUncaught?.(kind);
    const fatal = kind === 'uncaught_exception';
    log[fatal ? 'fatal' : 'error']({ kind, err: error }, 'nobody caught an error');
    if (fatal) void begin(kind, 1);
  }

  for (const [event, listener] of listeners) port.on(event, listener);
  return {
    signal: started.signal,
    add: (name, run) => {
      const hook = { name, run };
      hooks.unshift(hook);
      return () => {
        const index = hooks.indexOf(hook);
        if (index >= 0) hooks.splice(index, 1);
      };
    },
    begin,
    dispose: () => {
      for (const [event, listener] of listeners) port.off(event, listener);
    },
  };
}

/** Runs hooks one after the other until done or out of time; returns how many failed or were not finished. */
async function runHooks(
  hooks: readonly { name: string; run: ShutdownHook }[],
  graceMs: number,
  log: Logger,
): Promise<number> {
  const out = new AbortController();
  const timeUp = Promise.withResolvers<'time is up'>();
  const timer = setTimeout(() => {
    out.abort(new TandemError('draining', { message: 'grace period is over' }));
    timeUp.resolve('time is up');
  }, graceMs);
  let failed = 0;
  for (const { name, run } of [...hooks]) {
    const hook = (async () => run(out.signal))().catch((error: unknown) => {
      failed++;
      log.error({ hook: name, err: error }, 'shutdown hook failed');
    });
    if ((await Promise.race([hook, timeUp.promise])) === 'time is up') {
      failed++;
      log.error({ hook: name, graceMs }, 'shutdown hook was not done in time');
      break;
    }
  }
  clearTimeout(timer);
  return failed;
}
