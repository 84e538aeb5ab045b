import type { Logger, Metrics } from '@tandem/platform';
import { TURNS_QUEUE } from './dispatch/bull-queue.ts';
import { PURGES_QUEUE } from './dispatch/bull-retention.ts';
import type { ClusterObserver } from './observer.ts';

const ENGINES = { engine: ['nats', 'redis'] } as const;

/** Counts and logs what happens to the connections to the engines. */
export function engineObserver(metrics: Metrics, log: Logger): ClusterObserver {
  const lost = metrics.counter({
    name: 'engine_disconnects_total',
    help: 'Connections to an engine that were lost.',
    labels: ENGINES,
  });
  const back = metrics.counter({
    name: 'engine_reconnects_total',
    help: 'Connections to an engine that were had again.',
    labels: ENGINES,
  });
  const faults = metrics.counter({
    name: 'engine_faults_total',
    help: 'Faults of an engine that no caller heard of.',
    labels: ENGINES,
  });
  const failed = metrics.counter({
    name: 'job_faults_total',
    help: 'Jobs of the queue that failed, and are tried again.',
  });
  const jobs = metrics.gauge({
    name: 'queue_jobs',
    help: 'Jobs in a queue of the whole cluster, as a worker last saw them.',
    labels: { queue: [TURNS_QUEUE, PURGES_QUEUE], state: ['waiting', 'active', 'delayed'] },
  });
  const durable = metrics.gauge({
    name: 'engines_durable',
    help: '1 when the engines promise all that they could (replicas, no eviction, a log of their own), else 0.',
  });
  const fullness = new Map<string, number>();
  metrics.gauge({
    name: 'stream_fullness_ratio',
    help: 'How full the fullest stream is, 0 to 1.',
    collect: (gauge) => gauge.set({}, Math.max(0, ...fullness.values())),
  });
  return {
    disconnected: (engine) => {
      lost.inc({ engine });
      log.warn({ engine }, 'the connection to an engine is lost; trying to get it back');
    },
    reconnected: (engine) => {
      back.inc({ engine });
      log.info({ engine }, 'the connection to an engine is back');
    },
    fault: (engine, err) => {
      faults.inc({ engine });
      log.warn({ engine, err }, 'fault of an engine');
    },
    fullness: (stream, value) => void fullness.set(stream, value),
    handlerFailed: (err) => {
      failed.inc({});
      log.error({ err }, 'a job failed; it is tried again');
    },
    jobs: (queue, { waiting, active, delayed }) => {
      jobs.set({ queue, state: 'waiting' }, waiting);
      jobs.set({ queue, state: 'active' }, active);
      jobs.set({ queue, state: 'delayed' }, delayed);
    },
    durable: (all) => durable.set({}, all ? 1 : 0),
    advice: (text) => log.warn({ advice: text }, 'the engines promise less than they could'),
  };
}
