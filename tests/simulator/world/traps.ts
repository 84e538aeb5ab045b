import type { Process } from './process.ts';

/** An operation of a process at which it dies. */
export type TrapPoint = 'append' | 'dispatch' | 'complete';

interface Trap {
  readonly point: TrapPoint;
  left: number;
  readonly spring: () => void;
}

/** Kills processes at chosen operations: carried out by the engine, and never answered. */
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

  /** Counts an operation. @returns what is to be done once it has been carried out, if this is the one */
  sprung(process: Process, point: TrapPoint): (() => void) | undefined {
    for (const trap of this.#byProcess.get(process) ?? []) {
      if (trap.point !== point) continue;
      trap.left -= 1;
      if (trap.left === 0) return trap.spring;
    }
    return undefined;
  }
}
