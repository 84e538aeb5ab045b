export { TURN_LIMITS, type TurnLimits } from './actor/limits.ts';
export type * from './actor/logic.ts';
export type { SessionEnd, SessionObserver, SessionStart } from './actor/session-observer.ts';
export type { TurnObserver } from './actor/turn-actor.ts';
export { follow } from './follow/follow.ts';
export type * from './follow/follower.ts';
export { LEASE_TIMES, LeaseKeeper, type LeaseObserver, type LeaseTimes } from './host/lease-keeper.ts';
export { type HostDeps, type HostObserver, TurnHost } from './host/turn-host.ts';
export { decodeEntry, endItems, frameItem, isEndStream } from './journal/entry.ts';
export * from './parts/index.ts';
export * from './ports/index.ts';
export {
  encodePresence,
  PRESENCE_LIMITS,
  type PresenceLimits,
  ReaderTracker,
  readPresence,
} from './presence/reader-tracker.ts';
export { purgeTurn } from './retention/purge-turn.ts';
export * from './subject/turn-key.ts';
export { systemClock, systemEntropy } from './system.ts';
