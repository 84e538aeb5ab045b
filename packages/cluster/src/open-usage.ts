import type { UsageLedger } from '@tandem/actor-core';
import type { ClusterObserver } from './observer.ts';
import { openRedisLink } from './redis/redis-link.ts';
import { RedisUsage } from './redis/redis-usage.ts';

/**
 * The ledger of usage alone, for reports.
 * @param url `redis://` or `rediss://`, with credentials and database number
 * @throws EngineUnavailable when Redis does not answer for 30 s
 */
export async function openUsage(
  url: string,
  service: string,
  observer: ClusterObserver = {},
): Promise<{ readonly usage: UsageLedger; close(): Promise<void> }> {
  const redis = await openRedisLink({ url }, service, observer);
  return { usage: new RedisUsage(redis.prompt), close: () => redis.close() };
}
