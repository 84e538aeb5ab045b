import { ERROR_REASONS } from '@tandem/errors';
import { LATENCY_BUCKETS, type Metrics } from '@tandem/platform';
import { tandem } from '@tandem/proto';
import { EXCHANGE_TOOLS } from '../watch/exchange.ts';
import type { TurnSink } from '../watch/turn-watch.ts';

/** Seconds, from a hundredth to an hour: for what waits for models, clients and people. */
export const LONG_BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600];

/** The phases of a turn that lives. */
const LIVING_PHASES: readonly string[] = [
  'created',
  'restoring',
  'running_model',
  'waiting_client',
  'awaiting_user',
  'checkpointing',
  'compacting',
];
const OUTCOMES = ['completed', 'failed', 'canceled'];

/** What is measured of turns, as a sink of their watch. */
export function turnMetrics(metrics: Metrics): TurnSink {
  return { ...lifeMetrics(metrics), ...phaseMetrics(metrics), ...exchangeMetrics(metrics) };
}

function lifeMetrics(metrics: Metrics): Pick<TurnSink, 'ended' | 'deposed' | 'reordered'> {
  const ended = metrics.counter({
    name: 'turns_ended_total',
    help: 'Turns ended, by outcome and reason.',
    labels: { outcome: OUTCOMES, reason: ['', ...ERROR_REASONS] },
  });
  const seconds = metrics.histogram({
    name: 'turn_seconds',
    help: "From the storing of a turn's first append to its end.",
    labels: { outcome: OUTCOMES },
    buckets: LONG_BUCKETS,
  });
  const deposed = metrics.counter({
    name: 'writers_deposed_total',
    help: 'Journal writes refused by the fence.',
  });
  const reordered = metrics.histogram({
    name: 'append_reorder_wait_seconds',
    help: 'How long appends waited for those before them, of appends that came too early.',
    buckets: LATENCY_BUCKETS,
  });
  return {
    ended: (_turn, { outcome: number, reason }, ms) => {
      const outcome = tandem.Outcome[number].toLowerCase();
      ended.inc({ outcome, reason });
      if (ms !== undefined) seconds.observe({ outcome }, ms / 1000);
    },
    deposed: () => deposed.inc({}),
    reordered: (_turn, ms) => reordered.observe({}, ms / 1000),
  };
}

function phaseMetrics(metrics: Metrics): Pick<TurnSink, 'started' | 'phase' | 'left'> {
  const taken = metrics.counter({
    name: 'turns_taken_up_total',
    help: 'Turns taken up: opened, resumed after another process, answered to a late attempt, or found broken.',
    labels: { kind: ['open', 'resume', 'answer', 'broken'] },
  });
  const waited = metrics.histogram({
    name: 'dispatch_wait_seconds',
    help: "From the storing of a turn's first append until a worker took it up.",
    buckets: LATENCY_BUCKETS,
  });
  const now = metrics.gauge({
    name: 'turns_by_phase',
    help: 'Turns in this process, by where they stand.',
    labels: { phase: LIVING_PHASES },
  });
  for (const phase of LIVING_PHASES) now.set({ phase }, 0);
  const seconds = metrics.histogram({
    name: 'turn_phase_seconds',
    help: 'How long turns stayed in a phase, of phases that are over.',
    labels: { phase: LIVING_PHASES },
    buckets: LONG_BUCKETS,
  });
  return {
    started: ({ start: how, phase, since }) => {
      taken.inc({ kind: how.kind });
      if (how.kind === 'open') waited.observe({}, Math.max(0, since - how.openedAt) / 1000);
      if (isLiving(phase)) now.inc({ phase: nameOf(phase) });
    },
    phase: (_turn, from, to, ms) => {
      if (isLiving(from)) {
        now.dec({ phase: nameOf(from) });
        seconds.observe({ phase: nameOf(from) }, ms / 1000);
      }
      if (isLiving(to)) now.inc({ phase: nameOf(to) });
    },
    left: ({ phase }) => {
      if (isLiving(phase)) now.dec({ phase: nameOf(phase) });
    },
  };
}

function exchangeMetrics(metrics: Metrics): Pick<TurnSink, 'asked' | 'answered'> {
  const asked = metrics.counter({
    name: 'exec_requests_total',
    help: 'Requests put to clients, by tool.',
    labels: { tool: EXCHANGE_TOOLS },
  });
  const seconds = metrics.histogram({
    name: 'exec_round_trip_seconds',
    help: 'From the decision to ask a client until its answer took effect, by tool and how it ended.',
    labels: { tool: EXCHANGE_TOOLS, end: ['answered', 'thrown', 'closed'] },
    buckets: LONG_BUCKETS,
  });
  return {
    asked: (_turn, { tool }) => asked.inc({ tool }),
    answered: (_turn, { tool }, end, ms) => seconds.observe({ tool, end }, ms / 1000),
  };
}

function isLiving(phase: tandem.Phase | undefined): phase is tandem.Phase {
  return phase !== undefined && LIVING_PHASES.includes(nameOf(phase));
}

function nameOf(phase: tandem.Phase): string {
  return tandem.Phase[phase].toLowerCase();
}
