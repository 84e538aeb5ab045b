import type { Log } from '@tandem/actor-core';
import type { StreamPlan } from './stream-plan.ts';

/**
 * Writes a record to each stream and deletes it again.
 * @param id of this process, so that probes of several do not disturb each other
 * @throws LogUnavailable, LogFull
 */
export async function probeWrites(log: Log, plan: StreamPlan, id: string): Promise<void> {
  await Promise.all(
    plan.streams.map(async ({ subjects }) => {
      const subject = (subjects[0] ?? '').replace(/>$/, `~probe.${id}`);
      const { sequence } = await log.append(subject, { set: id, index: 0, count: 1 }, new Uint8Array());
      await log.purge(subject, sequence);
    }),
  );
}
