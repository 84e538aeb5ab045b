export { TURN_LIMITS, type TurnLimits } from './actor/limits.ts';
export type * from './actor/logic.ts';
export type { SessionStart } from './actor/session-start.ts';
export type { TurnObserver } from './actor/turn-actor.ts';
export {
  type SessionDeps,
  type SessionEnd,
  type SessionObserver,
  TurnSession,
} from './actor/turn-session.ts';
export * from './follow/index.ts';
export { LEASE_TIMES, LeaseKeeper, type LeaseObserver, type LeaseTimes } from './host/lease-keeper.ts';
export { type HostDeps, type HostObserver, TurnHost } from './host/turn-host.ts';
export { decodeEntry, endItems, frameItem, isEndStream } from './journal/entry.ts';
export * from './parts/index.ts';
export * from './ports/index.ts';
export { encodePresence, readPresence } from './presence/presence-signal.ts';
export { PRESENCE_LIMITS, type PresenceLimits, ReaderTracker } from './presence/reader-tracker.ts';
export { purgeTurn } from './retention/purge-turn.ts';
export * from './subject/turn-key.ts';
export { systemClock, systemEntropy } from './system.ts';
