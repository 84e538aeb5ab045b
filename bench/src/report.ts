/** What is aimed at, by figure: at least, or at most. */
const AIMS: Readonly<Record<string, { readonly atLeast: number } | { readonly atMost: number }>> = {
  relay_ratio: { atLeast: 0.6 },
  idle_ratio: { atMost: 1.5 },
  append_ratio: { atMost: 2 },
  first_call_ms_p50: { atMost: 10 },
  delta_ms_p50: { atMost: 3 },
  delta_ms_p99: { atMost: 10 },
};

/** The figures for people, with their aims. */
export function table(
  figures: Readonly<Record<string, number>>,
  settings: Readonly<Record<string, string>>,
): string {
  const width = Math.max(...Object.keys(figures).map((name) => name.length));
  const lines = Object.entries(figures).map(([name, figure]) =>
    `${name.padEnd(width)}  ${String(figure).padStart(10)}  ${verdict(name, figure)}`.trimEnd(),
  );
  const notes = Object.entries(settings).map(([name, setting]) => `${name}: ${setting}`);
  return [...lines, '', ...notes].join('\n');
}

function verdict(name: string, figure: number): string {
  const aim = AIMS[name];
  if (!aim) return '';
  if ('atLeast' in aim) return `${figure >= aim.atLeast ? 'met' : 'MISSED'} (at least ${aim.atLeast})`;
  return `${figure <= aim.atMost ? 'met' : 'MISSED'} (at most ${aim.atMost})`;
}
