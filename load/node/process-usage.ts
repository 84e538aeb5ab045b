import { readFileSync } from 'node:fs';

/** The kernel's unit of processor time in /proc, the same on all of Linux's common platforms. */
const TICK_MS = 10;

/** What processes have used, and hold now. */
export interface Usage {
  /** User and system time, milliseconds. */
  readonly cpuMs: number;
  /** Resident memory, KiB. */
  readonly rssKb: number;
}

/** The sum over processes, those that have ended left out; NaN where there is no /proc. */
export function usageOf(pids: readonly number[]): Usage {
  if (process.platform !== 'linux') return { cpuMs: Number.NaN, rssKb: Number.NaN };
  return pids
    .map(usageOfOne)
    .reduce((sum, one) => ({ cpuMs: sum.cpuMs + one.cpuMs, rssKb: sum.rssKb + one.rssKb }), {
      cpuMs: 0,
      rssKb: 0,
    });
}

function usageOfOne(pid: number): Usage {
  try {
    // The name, in parentheses, may hold spaces: fields are counted from behind it, the state being the third.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return {
      cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
      rssKb: Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0),
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { cpuMs: 0, rssKb: 0 };
    throw error;
  }
}
