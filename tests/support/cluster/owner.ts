import type { Node } from './cluster.ts';
import { readMetric } from './metrics.ts';
import { until } from './until.ts';

/** The one of the workers that runs a turn, once there is one; those that have ended run none. @throws Error when there is none for 30 s */
export function ownerOf(workers: readonly Node[]): Promise<Node> {
  return until('a worker runs the turn', async () => {
    const turns = await Promise.all(
      workers.map(({ url }) => readMetric(url, 'tandem_turns_running').catch(() => 0)),
    );
    return workers[turns.findIndex((count) => count > 0)];
  });
}
