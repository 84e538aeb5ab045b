const POLL_MS = 50;
const PATIENCE_MS = 30_000;

/**
 * Asks again until there is an answer: for what a process shows but does not announce.
 * @throws Error when 30 s have passed
 */
export async function until<T>(what: string, ask: () => Promise<T | undefined | false>): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
