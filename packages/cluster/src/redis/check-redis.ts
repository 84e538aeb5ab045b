import type { Redis } from 'ioredis';

/**
 * What an operator should know of this Redis. A server that does not tell its configuration is taken as it is.
 */
export async function checkRedis(redis: Redis): Promise<string[]> {
  const advice: string[] = [];
  const policy = await setting(redis, 'maxmemory-policy');
  if (policy && policy !== 'noeviction') {
    advice.push(`Redis may evict keys (maxmemory-policy ${policy}): set it to noeviction, or jobs get lost`);
  }
  if ((await setting(redis, 'appendonly')) === 'no') {
    advice.push('Redis keeps nothing across a restart (appendonly no): waiting turns start later then');
  }
  return advice;
}

async function setting(redis: Redis, name: string): Promise<string | undefined> {
  try {
    const answer = (await redis.config('GET', name)) as string[];
    return answer[1];
  } catch {
    // Hosted servers forbid CONFIG.
    return undefined;
  }
}
