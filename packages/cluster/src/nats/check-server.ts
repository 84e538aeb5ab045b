import { type Log, LogConflict, TOKENS } from '@tandem/actor-core';
import { ClusterUnsuitable } from '../cluster-errors.ts';
import type { NatsConfig } from '../config.ts';

const OLDEST = '2.9.0';
/** Before it, two writers with equal expectations could both win on replicas. */
const OLDEST_REPLICATED = '2.10.27';
const RECOMMENDED = '2.15.0';
const ROUNDS = 3;
const WRITERS = 8;

/**
 * Whether this server can keep what the configuration promises.
 * @returns what an operator should know
 * @throws ClusterUnsuitable
 */
export function checkVersion(version: string, config: NatsConfig): string[] {
  const oldest = config.replicas > 1 ? OLDEST_REPLICATED : OLDEST;
  if (!versionAtLeast(version, oldest)) {
    throw new ClusterUnsuitable(
      `NATS ${version} is too old for ${config.replicas} replica(s): at least ${oldest} is needed, ${RECOMMENDED} recommended`,
    );
  }
  const advice: string[] = [];
  if (!versionAtLeast(version, RECOMMENDED))
    advice.push(`NATS ${version} works, ${RECOMMENDED} or newer is recommended`);
  if (config.replicas === 1)
    advice.push('streams have one replica: the loss of its disk loses running turns');
  return advice;
}

/**
 * Lets writers with equal expectations race: everything rests on that one of them wins.
 * @param id unique to this call
 * @throws ClusterUnsuitable when another number did; LogUnavailable
 */
export async function checkFencing(log: Log, id: string): Promise<void> {
  const subject = `cmd.${TOKENS - 1}.~check.${id}`;
  let expectedLast = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const append = (_: unknown, writer: number) =>
      log.append(subject, { set: `${round}.${writer}`, index: 0, count: 1 }, new Uint8Array(), {
        expectedLast,
      });
    const results = await Promise.allSettled(Array.from({ length: WRITERS }, append));
    const stored = results.flatMap((result) => (result.status === 'fulfilled' ? result.value.sequence : []));
    const unknown = results.find(
      (result) => result.status === 'rejected' && !(result.reason instanceof LogConflict),
    );
    if (unknown?.status === 'rejected') throw unknown.reason;
    if (stored.length !== 1) {
      throw new ClusterUnsuitable(
        `NATS accepted ${stored.length} of ${WRITERS} conditional publishes where one must win`,
      );
    }
    expectedLast = stored[0] as number;
  }
  await log.purge(subject, expectedLast);
}

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
