/** Runs `work` while holding the lock at `path`; waits for a living holder (`onWait` is told its pid once). */
export function withLock<T>(
  path: string,
  work: () => T | Promise<T>,
  onWait?: (pid: number) => void,
): Promise<T>;
