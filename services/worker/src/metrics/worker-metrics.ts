import type { HostObserver, LeaseObserver, SessionObserver } from '@tandem/actor-core';
import { ERROR_REASONS } from '@tandem/errors';
import type { CallObserver } from '@tandem/models';
import { LATENCY_BUCKETS, type Logger, type Metrics } from '@tandem/platform';
import { turnLog } from '../watch/turn-log.ts';
import type { TurnSink } from '../watch/turn-watch.ts';
import { LONG_BUCKETS, turnMetrics } from './turn-metrics.ts';

const COUNTS = [1, 2, 4, 8, 16, 32, 64, 128, 256];
const SIZES = [256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304];
const FINISHES = ['stop', 'tool_calls', 'length', 'content_filter', 'interrupted', 'error', 'aborted'];

export interface WorkerMetricsOptions {
  readonly metrics: Metrics;
  readonly log: Logger;
  /** The catalogue's models and deployments: the only values their labels take. */
  readonly models: readonly string[];
  readonly deployments: readonly string[];
  readonly slots: { readonly taken: number; readonly waiting: number };
}

export interface WorkerObservers {
  readonly session: SessionObserver;
  /** Told what becomes of turns in their own words. */
  readonly turns?: readonly TurnSink[];
  readonly host: HostObserver & LeaseObserver;
  readonly calls: CallObserver;
}

/** A worker's metrics, as the observers that feed them. */
export function workerMetrics(options: WorkerMetricsOptions): WorkerObservers {
  const { metrics, slots } = options;
  metrics.gauge({
    name: 'model_slots_taken',
    help: 'Model calls running now.',
    collect: (g) => g.set({}, slots.taken),
  });
  metrics.gauge({
    name: 'model_slots_waiting',
    help: 'Model calls waiting for a slot.',
    collect: (g) => g.set({}, slots.waiting),
  });
  return {
    session: journalObserver(options),
    turns: [turnMetrics(metrics), turnLog(options.log)],
    host: hostObserver(options),
    calls: callObserver(options),
  };
}

function journalObserver({ metrics, log }: WorkerMetricsOptions): SessionObserver {
  const faults = metrics.counter({ name: 'turn_faults_total', help: 'Faults of our own while a turn ran.' });
  const seconds = metrics.histogram({
    name: 'journal_publish_seconds',
    help: 'From handing an entry to the log until it was stored.',
    buckets: LATENCY_BUCKETS,
  });
  const items = metrics.histogram({
    name: 'journal_entry_items',
    help: 'Items in an entry.',
    buckets: COUNTS,
  });
  const bytes = metrics.histogram({ name: 'journal_entry_bytes', help: 'Size of an entry.', buckets: SIZES });
  return {
    logicFailed: ({ turn }, err) => {
      faults.inc({});
      log.error({ runId: turn, err }, 'a turn failed by a fault of ours');
    },
    retentionFailed: (err) => log.warn({ err }, 'what a turn left stays until the log forgets it by age'),
    entryStored: (count, size, ms) => {
      seconds.observe({}, ms / 1000);
      items.observe({}, count);
      bytes.observe({}, size);
    },
  };
}

function hostObserver({ metrics, log }: WorkerMetricsOptions): HostObserver & LeaseObserver {
  const turns = metrics.gauge({ name: 'turns_running', help: 'Turns in this process.' });
  const lost = metrics.counter({ name: 'leases_lost_total', help: 'Leases that went to another worker.' });
  const faults = metrics.counter({
    name: 'lease_store_faults_total',
    help: 'Calls of the lease store that failed.',
  });
  const stalls = metrics.counter({
    name: 'stalls_total',
    help: 'Times the process stood still beyond its leases.',
  });
  return {
    turns: (count) => turns.set({}, count),
    leaseLost: () => lost.inc({}),
    leaseStoreFailed: (err) => {
      faults.inc({});
      log.warn({ err }, 'the lease store did not answer');
    },
    stalled: (ms) => {
      stalls.inc({});
      log.error({ ms }, 'the process stood still; its turns are given up');
    },
    sessionFailed: ({ turn }, err) =>
      log.error({ runId: turn, err }, 'a turn could not be taken up; trying again'),
  };
}

function callObserver({ metrics, models, deployments }: WorkerMetricsOptions): CallObserver {
  const of = { model: models, deployment: deployments };
  const calls = metrics.counter({
    name: 'model_calls_total',
    help: 'Tries of a provider, by outcome.',
    labels: { ...of, outcome: [...FINISHES, ...ERROR_REASONS] },
  });
  const first = metrics.histogram({
    name: 'model_first_event_seconds',
    help: 'From the call to the first event.',
    labels: of,
    buckets: LATENCY_BUCKETS,
  });
  const tokens = metrics.counter({
    name: 'model_tokens_total',
    help: 'Tokens, as providers counted them.',
    labels: { ...of, kind: ['input', 'output', 'cache_read', 'cache_write'] },
  });
  const cost = metrics.counter({
    name: 'model_cost_total',
    help: "In the unit of the catalogue's prices.",
    labels: of,
  });
  const seconds = metrics.histogram({
    name: 'model_call_seconds',
    help: 'From a try of a provider to the end of its answer.',
    labels: of,
    buckets: LONG_BUCKETS,
  });
  const retries = metrics.counter({
    name: 'model_retries_total',
    help: 'Tries after the first.',
    labels: of,
  });
  const fallbacks = metrics.counter({
    name: 'model_fallbacks_total',
    help: "Tries of a deployment other than the model's first, since those before it did not answer.",
    labels: of,
  });
  return ({ model, deployment, attempt, fallback }) => {
    const labels = { model, deployment };
    if (attempt > 1) retries.inc(labels);
    if (fallback) fallbacks.inc(labels);
    return {
      firstEvent: (ms) => first.observe(labels, ms / 1000),
      ended: ({ outcome, usage, ms, cost: spent }) => {
        seconds.observe(labels, ms / 1000);
        calls.inc({ ...labels, outcome });
        tokens.inc({ ...labels, kind: 'input' }, usage.inputTokens);
        tokens.inc({ ...labels, kind: 'output' }, usage.outputTokens);
        tokens.inc({ ...labels, kind: 'cache_read' }, usage.cacheReadTokens);
        tokens.inc({ ...labels, kind: 'cache_write' }, usage.cacheWriteTokens);
        if (spent) cost.inc(labels, spent);
      },
    };
  };
}
