type Told = (...told: unknown[]) => unknown;

/**
 * One observer for a list of them: each is told, in the list's order. What an observer is asked is answered by the first
 * that says something. It has no member that none of them has.
 */
export function tellAll<Observer extends object>(observers: readonly Observer[]): Observer {
  const names = new Set(observers.flatMap((observer) => Object.keys(observer)));
  const tell =
    (name: string): Told =>
    (...told) => {
      let answer: unknown;
      for (const observer of observers) {
        const said = (observer as Record<string, Told | undefined>)[name]?.(...told);
        answer ??= said;
      }
      return answer;
    };
  return Object.fromEntries([...names].map((name) => [name, tell(name)])) as Observer;
}
