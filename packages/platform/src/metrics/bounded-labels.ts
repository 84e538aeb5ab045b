/** What a value that was not declared counts as. */
export const OTHER = 'other';

/** Labels by name, each with all values that it may take. A label that could take any value would be a leak of memory. */
export type LabelValues = Readonly<Record<string, readonly string[]>>;

/** The labels of one observation. Values may be any text; what was not declared counts as "other". */
export type Labels<L extends LabelValues> = { readonly [K in keyof L]: string };

/** Makes a function that keeps declared values and turns all others to "other". */
export function boundLabels<L extends LabelValues>(
  declared: L,
): (labels: Labels<L>) => Record<string, string> {
  const allowed = Object.entries(declared).map(([name, values]) => [name, new Set(values)] as const);
  return (labels) => {
    const bounded: Record<string, string> = {};
    for (const [name, values] of allowed) {
      const value = labels[name];
      bounded[name] = value !== undefined && values.has(value) ? value : OTHER;
    }
    return bounded;
  };
}

/** All values that the labels may take together, or none of them if there are more than `most`. */
export function combinations(declared: LabelValues, most: number): Record<string, string>[] {
  let all: Record<string, string>[] = [{}];
  for (const [name, values] of Object.entries(declared)) {
    if (all.length * values.length > most) return [];
    all = all.flatMap((labels) => values.map((value) => ({ ...labels, [name]: value })));
  }
  return all;
}
