/** Whether a version `a.b.c` is at least another. What follows a hyphen is not looked at. */
export function versionAtLeast(version: string, minimum: string): boolean {
  const [actual, wanted] = [numbers(version), numbers(minimum)];
  for (const [index, number] of wanted.entries()) {
    const difference = (actual[index] ?? 0) - number;
    if (difference !== 0) return difference > 0;
  }
  return true;
}

function numbers(version: string): number[] {
  return (version.split('-')[0] ?? '').split('.').map((part) => Number.parseInt(part, 10) || 0);
}
