import type { Follower, FollowHandler, FollowOptions } from './follower.ts';
import { LogFollower } from './log-follower.ts';

/**
 * Follows a subject from behind `after` on: what is stored, then what is being stored, without a seam. Live records
 * are only believed where each names the one before it; all else is read from the log, up to what its leader says.
 * @param after a sequence; 0 for all that there is
 */
export function follow(
  options: FollowOptions,
  subject: string,
  after: number,
  handler: FollowHandler,
): Follower {
  const follower = new LogFollower(options, subject, after, handler);
  follower.start();
  return follower;
}
