/** What a figure must not exceed, or fall below. */
type Bound = { readonly atMost: number } | { readonly atLeast: number };

/** Bounds by figure. */
export type Thresholds = Readonly<Record<string, Bound>>;

/** Which bounds do not hold, as sentences. A figure that is missing or no number holds none. */
export function broken(thresholds: Thresholds, figures: Readonly<Record<string, number>>): string[] {
  return Object.entries(thresholds).flatMap(([name, bound]) => {
    const figure = figures[name] ?? Number.NaN;
    const holds = 'atMost' in bound ? figure <= bound.atMost : figure >= bound.atLeast;
    if (holds) return [];
    return [
      'atMost' in bound
        ? `${name} is ${figure}, at most ${bound.atMost} is allowed`
        : `${name} is ${figure}, at least ${bound.atLeast} is asked for`,
    ];
  });
}
