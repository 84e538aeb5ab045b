import type { Findings } from './drive.ts';

/** The figures of a cluster, with those of one process beside them, and what the cluster costs or gains as ratios. */
export function withRatios(cluster: Findings, standalone: Findings): Findings {
  const { figures } = cluster;
  const alone = standalone.figures;
  const named = Object.entries(alone).map(([name, figure]) => [
    `standalone_${name}`.replace(/_standalone$/, ''),
    figure,
  ]);
  const ratios = {
    ratio_turns_per_second: (figures.turns_per_second ?? Number.NaN) / (alone.turns_per_second ?? Number.NaN),
    ratio_delta_p50: (figures.delta_ms_p50 ?? Number.NaN) / (alone.delta_ms_p50 ?? Number.NaN),
    ratio_delta_p99: (figures.delta_ms_p99 ?? Number.NaN) / (alone.delta_ms_p99 ?? Number.NaN),
    ratio_cpu_per_turn: sumOf(figures, 'cpu_ms_per_turn_') / sumOf(alone, 'cpu_ms_per_turn_'),
    ratio_kb_per_stream: sumOf(figures, 'kb_per_stream_') / sumOf(alone, 'kb_per_stream_'),
  };
  return {
    figures: {
      ...figures,
      ...Object.fromEntries(
        ['failed', 'lost_words', 'repeated_words'].map((name) => [
          name,
          (figures[name] ?? 0) + (alone[name] ?? 0),
        ]),
      ),
      ...Object.fromEntries(named),
      ...ratios,
    },
    faults: [...cluster.faults, ...standalone.faults.map((fault) => `standalone ${fault}`)],
  };
}

/** Four digits of each; figures that are no numbers are left out. */
export function roundedFigures(figures: Readonly<Record<string, number>>): Record<string, number> {
  const known = Object.entries(figures).filter(([, figure]) => Number.isFinite(figure));
  return Object.fromEntries(known.map(([name, figure]) => [name, Number(figure.toPrecision(4))]));
}

function sumOf(figures: Readonly<Record<string, number>>, prefix: string): number {
  const members = Object.entries(figures).filter(([name]) => name.startsWith(prefix));
  return members.length === 0 ? Number.NaN : members.reduce((sum, [, figure]) => sum + figure, 0);
}
