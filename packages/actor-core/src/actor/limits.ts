import type { InboxLimits } from '../inbox/inbox.ts';
import { PRESENCE_LIMITS, type PresenceLimits } from '../presence/reader-tracker.ts';

/** What bounds a turn. Times in milliseconds. */
export interface TurnLimits {
  readonly inbox: InboxLimits;
  readonly presence: PresenceLimits;
  /** A missing append fails the turn after this. */
  readonly gapMs: number;
  /** A turn's longest life; below the age at which the log forgets. */
  readonly lifeMs: number;
  /** How long a turn's logic may take to end it once it has to end (to bring what it has to safety). */
  readonly lastOrdersMs: number;
  /** Takeovers without a new checkpoint before the turn is given up: it may be what kills its workers. */
  readonly takeovers: number;
  /** Between two pulses to the gateways that read the turn. */
  readonly pulseMs: number;
  /** How long what a finished turn left stays in the logs. */
  readonly retentionMs: number;
  /** How long a turn waits for the log when it is taken up. */
  readonly openPatienceMs: number;
}

export const TURN_LIMITS: TurnLimits = {
  inbox: { maxHeld: 4096, maxHeldBytes: 64 * 1024 * 1024 },
  presence: PRESENCE_LIMITS,
  gapMs: 10 * 60_000,
  lifeMs: 12 * 60 * 60_000,
  lastOrdersMs: 30_000,
  takeovers: 5,
  pulseMs: 2_000,
  retentionMs: 15 * 60_000,
  openPatienceMs: 30_000,
};
