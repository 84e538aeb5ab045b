const BASE_MS = 500;
const CAP_MS = 8_000;

/** Waits that are longer than this are not sat out: the next deployment, or the client, may do better. */
export const LONGEST_WAIT_MS = 20_000;

/**
 * Milliseconds to wait before the next try: doubling from half a second up to eight, of which a random half is taken
 * off, and never less than the provider asked for.
 *
 * @param tries how many have failed, from 1.
 * @param random uniform in [0, 1).
 */
export function backoffMs(tries: number, random: number, retryAfterMs = 0): number {
  const full = Math.min(CAP_MS, BASE_MS * 2 ** (tries - 1));
  return Math.max(retryAfterMs, full * (1 - random / 2));
}
