import type { Process } from './process.ts';

/** An operation of a process at which something befalls it. */
export type TrapPoint = 'append' | 'dispatch' | 'complete' | 'claim';

interface Trap {
  readonly point: TrapPoint;
  left: number;
  readonly spring: () => void;
}

/**
 * Lets things happen at chosen operations: processes die of what the engine carried out and never answered, or are cut off
 * with a journal's claim on the way.
 */
export class Traps {
  readonly #byProcess = new Map<Process, Trap[]>();

  /** @param nth which of the process's operations of that kind, from 1 */
  set(process: Process, point: TrapPoint, nth: number, spring: () => void): void {
    const traps = this.#byProcess.get(process) ?? [];
    traps.push({ point, left: nth, spring });
    this.#byProcess.set(process, traps);
  }

  /** Takes all of them away. */
  clear(): void {
    this.#byProcess.clear();
  }

  /** Counts an operation. @returns what is to happen (of all but claims: once it was carried out), if this is the one */
  sprung(process: Process, point: TrapPoint): (() => void) | undefined {
    for (const trap of this.#byProcess.get(process) ?? []) {
      if (trap.point !== point) continue;
      trap.left -= 1;
      if (trap.left === 0) return trap.spring;
    }
    return undefined;
  }
}
