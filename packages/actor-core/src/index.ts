export { TURN_LIMITS, type TurnLimits } from './actor/limits.ts';
export type * from './actor/logic.ts';
export type { SessionEnd, SessionObserver, SessionStart } from './actor/session-observer.ts';
export type { TurnObserver } from './actor/turn-actor.ts';
export type * from './follow/follower.ts';
export { follow } from './follow/log-follower.ts';
export { LEASE_TIMES, LeaseKeeper, type LeaseObserver, type LeaseTimes } from './host/lease-keeper.ts';
export { type HostDeps, type HostObserver, TurnHost } from './host/turn-host.ts';
export {
  decodeEntry,
  endItems,
  epochOfSet,
  frameItem,
  higherEpochVoids,
  isEndStream,
  journalSet,
} from './journal/entry.ts';
export * from './parts/append-message.ts';
export * from './parts/assembler.ts';
export * from './ports/clock.ts';
export * from './ports/dispatch.ts';
export type * from './ports/leases.ts';
export type * from './ports/log.ts';
export * from './ports/log-errors.ts';
export type * from './ports/signals.ts';
export type * from './ports/usage.ts';
export {
  encodePresence,
  PRESENCE_LIMITS,
  type PresenceLimits,
  ReaderTracker,
  readPresence,
} from './presence/reader-tracker.ts';
export * from './subject/turn-key.ts';
