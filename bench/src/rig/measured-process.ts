import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Service, ServiceOptions } from '@tandem/test-support/cluster';

const PRELOAD = join(import.meta.dirname, 'preload.ts');

/** Bytes of a process after a collection of garbage. */
interface Memory {
  readonly rss: number;
  readonly heapUsed: number;
  readonly external: number;
}

/** A process whose CPU time and memory are looked at from outside. */
export interface MeasuredProcess extends Service {
  /** User and system time of all its threads so far, milliseconds. */
  cpuMs(): Promise<number>;
  /** Collects its garbage, then tells what it holds. */
  settledMemory(): Promise<Memory>;
  /** Keeps it on these CPUs from now on. */
  pin(cpus: string): void;
}

/** How a process is run to be measured. @param profileFolder for a CPU profile, written when it ends */
export function measuredRun(profileFolder?: string): Pick<ServiceOptions, 'nodeArgs' | 'ipc'> {
  const profiling = profileFolder ? ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`] : [];
  return { nodeArgs: ['--expose-gc', ...profiling, '--import', PRELOAD], ipc: true };
}

/** Looks at a process that was started by {@link measuredRun}. */
export function measured(service: Service): MeasuredProcess {
  return {
    ...service,
    cpuMs: async () => (await service.ask({ cpu: true })) as number,
    settledMemory: async () => (await service.ask({ memory: true })) as Memory,
    pin: (cpus) => pinProcess(service.pid, cpus),
  };
}

/** Keeps all threads of a process on some CPUs, where the system can. */
export function pinProcess(pid: number, cpus: string): void {
  spawnSync('taskset', ['-acp', cpus, String(pid)], { stdio: 'ignore' });
}
