/** Runs tasks in the order given, at most `max` at once. */
export function createLimit(max: number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;

  return async (task) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await task();
    } finally {
      // The place goes straight to the next in line, so that a newcomer cannot take it.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
