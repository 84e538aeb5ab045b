import type { Thresholds } from './measure/thresholds.ts';
import type { OpenStreams } from './scenarios/open-streams.ts';
import type { ReconnectStorm } from './scenarios/reconnect-storm.ts';
import type { Rollout } from './scenarios/rollout.ts';
import type { SlowReaders } from './scenarios/slow-readers.ts';
import type { BusyTurns, SteadyTurns } from './scenarios/steady-turns.ts';

/** How large each scenario is, and what has to hold. */
export interface Profile {
  readonly open: OpenStreams;
  readonly steady: SteadyTurns;
  readonly busy: BusyTurns;
  readonly storm: ReconnectStorm;
  readonly slow: SlowReaders;
  readonly rollout: Rollout;
  /** By the names of the figures that the Node driver reports. */
  readonly thresholds: Thresholds;
}

/** Fifty words a second, as models speak, with two tools on the way. */
const SPOKEN = { words: 60, paceMs: 20, tools: 2 };
const QUICK = { words: 20, paceMs: 0, tools: 1 };
/** 10 MiB, more than sockets hold. */
const LONG = { words: 2560, paceMs: 0, tools: 0, wordBytes: 4096 };

/** What holds whatever the size and the machine. */
const PROMISES: Thresholds = {
  failed: { atMost: 0 },
  lost_words: { atMost: 0 },
  repeated_words: { atMost: 0 },
  // Else the slow readers were not.
  slow_readers_seen: { atLeast: 1 },
};

export const PROFILES: Readonly<Record<'small' | 'medium' | 'large', Profile>> = {
  small: {
    open: { streams: 200, perSecond: 50, heldSeconds: 10 },
    steady: { perSecond: 3, seconds: 12, shape: SPOKEN },
    busy: { clients: 8, seconds: 8, shape: QUICK },
    storm: { streams: 60, words: 40, paceMs: 250 },
    slow: { readers: 3, shape: LONG, pauseMs: 12_000, beside: { perSecond: 2, seconds: 8, shape: SPOKEN } },
    rollout: { perSecond: 3, shape: { words: 100, paceMs: 50, tools: 1 } },
    thresholds: {
      ...PROMISES,
      streams_open: { atLeast: 200 },
      delta_ms_p50: { atMost: 100 },
      delta_ms_p99: { atMost: 1000 },
      storm_back_ms_p99: { atMost: 5000 },
      rollout_pause_ms: { atMost: 12_000 },
    },
  },
  medium: {
    open: { streams: 1000, perSecond: 50, heldSeconds: 30 },
    steady: { perSecond: 8, seconds: 60, shape: SPOKEN },
    busy: { clients: 16, seconds: 30, shape: QUICK },
    storm: { streams: 300, words: 60, paceMs: 500 },
    slow: { readers: 16, shape: LONG, pauseMs: 10_000, beside: { perSecond: 2, seconds: 20, shape: SPOKEN } },
    rollout: { perSecond: 5, shape: { words: 200, paceMs: 50, tools: 2 } },
    thresholds: {
      ...PROMISES,
      streams_open: { atLeast: 1000 },
      delta_ms_p99: { atMost: 1000 },
      storm_back_ms_p99: { atMost: 10_000 },
      rollout_pause_ms: { atMost: 15_000 },
    },
  },
  large: {
    open: { streams: 10_000, perSecond: 100, heldSeconds: 120 },
    steady: { perSecond: 40, seconds: 300, shape: SPOKEN },
    busy: { clients: 64, seconds: 60, shape: QUICK },
    // All of them speak at once: not more than two workers make model calls.
    storm: { streams: 390, words: 120, paceMs: 1000 },
    slow: {
      readers: 64,
      shape: LONG,
      pauseMs: 20_000,
      beside: { perSecond: 10, seconds: 40, shape: SPOKEN },
    },
    rollout: { perSecond: 20, shape: { words: 400, paceMs: 50, tools: 2 } },
    thresholds: {
      ...PROMISES,
      streams_open: { atLeast: 10_000 },
      delta_ms_p99: { atMost: 1000 },
      storm_back_ms_p99: { atMost: 15_000 },
      rollout_pause_ms: { atMost: 15_000 },
    },
  },
};
