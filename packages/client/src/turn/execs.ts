import type { agent } from '@tandem/proto';

/** The executions of one attempt that are under way. */
export interface Execs {
  start(request: agent.ExecServerMessage): void;
  /** An id that is not known is passed over. */
  abort(id: number): void;
  abortAll(): void;
}

/** Runs executions, each with a signal of its own. @param execute never rejects */
export function createExecs(
  execute: (request: agent.ExecServerMessage, signal: AbortSignal) => Promise<void>,
): Execs {
  const running = new Map<number, AbortController>();
  return {
    start: (request) => {
      const controller = new AbortController();
      running.set(request.id, controller);
      void execute(request, controller.signal).then(() => {
        // Ids may be used again: only its own entry goes.
        if (running.get(request.id) === controller) running.delete(request.id);
      });
    },
    abort: (id) => running.get(id)?.abort(),
    abortAll: () => {
      for (const controller of running.values()) controller.abort();
    },
  };
}
