const UNIT_BYTES: Record<string, number> = {
  '': 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
};

/**
 * Reads a size such as `32MiB`, `1.5 GB`, `4096` or `0`: powers of 1024 with an `i`, of 1000 without.
 *
 * @returns whole bytes, or undefined when the text is no size
 */
export function parseByteSize(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text);
  const unit = UNIT_BYTES[match?.[2]?.toLowerCase() ?? '?'];
  if (!match || unit === undefined) return undefined;
  const bytes = Math.round(Number(match[1]) * unit);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

const UNIT_MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g;

/**
 * Reads a duration such as `250ms`, `30s`, `1h30m` or `0`. A bare number other than 0 is refused, since nobody would
 * know its unit.
 *
 * @returns milliseconds, or undefined when the text is no duration
 */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  if (!DURATION.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(PART))
    total += Number(amount) * (UNIT_MS[unit ?? ''] ?? Number.NaN);
  return Number.isFinite(total) ? Math.round(total) : undefined;
}
