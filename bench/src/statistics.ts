/** The value below which a share `p` (0 to 1) of the values lies; NaN of none. */
export function percentile(values: readonly number[], p: number): number {
  if (values.length === 0) return Number.NaN;
  const sorted = [...values].sort((a, b) => a - b);
  const index = Math.min(sorted.length - 1, Math.max(0, Math.ceil(p * sorted.length) - 1));
  return sorted[index] as number;
}

/** The middle value; of an even number of values the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  if (values.length === 0) return Number.NaN;
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted.length >> 1;
  const high = sorted[upper] as number;
  return sorted.length % 2 === 1 ? high : ((sorted[upper - 1] as number) + high) / 2;
}
