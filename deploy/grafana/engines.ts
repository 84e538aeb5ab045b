import { type Dashboard, quantiles, rate } from './model.ts';

/** NATS, Valkey and the job queue. */
export const engines: Dashboard = {
  uid: 'tandem-engines',
  title: 'Tandem: Engines',
  about: 'NATS, Valkey and the job queue, as the services see them.',
  rows: [
    {
      title: 'Connections',
      panels: [
        {
          title: 'Processes without their engine',
          about: 'Connections lost and not had again yet.',
          unit: 'short',
          queries: [
            {
              expr: 'sum by (engine) (tandem_engine_disconnects_total - tandem_engine_reconnects_total)',
              legend: '{{engine}}',
            },
          ],
        },
        {
          title: 'Connections lost',
          about: 'In the last 10 minutes, by process. A rollout of the engine shows here, and is no fault.',
          unit: 'short',
          queries: [
            {
              expr: 'sum by (engine, instance) (increase(tandem_engine_disconnects_total[10m]))',
              legend: '{{engine}} {{instance}}',
            },
          ],
        },
        {
          title: 'Faults of engines',
          about: 'A second, of those that no caller heard of.',
          unit: 'short',
          queries: [{ expr: rate('tandem_engine_faults_total', 'engine'), legend: '{{engine}}' }],
        },
        {
          title: 'Durable',
          about:
            '0 where a process found at start that an engine promises less than it could; its log says what.',
          unit: 'short',
          max: 1,
          queries: [{ expr: 'tandem_engines_durable', legend: '{{component}} {{instance}}' }],
        },
      ],
    },
    {
      title: 'NATS',
      panels: [
        {
          title: 'Fullness of the fullest stream',
          about: 'From 80 % no new turns begin, from 95 % nothing is stored.',
          unit: 'percentunit',
          max: 1,
          queries: [{ expr: 'max(tandem_stream_fullness_ratio)', legend: 'fullest' }],
        },
        {
          title: 'Journal entries stored',
          about: 'From handing an entry to NATS until it was stored.',
          unit: 's',
          queries: quantiles('tandem_journal_publish_seconds'),
        },
        {
          title: 'Journal entries',
          about: 'Stored a second, of all workers.',
          unit: 'short',
          queries: [{ expr: rate('tandem_journal_publish_seconds_count'), legend: 'entries' }],
        },
        {
          title: 'Bytes of the journal',
          about: 'Stored a second, of all workers.',
          unit: 'Bps',
          queries: [{ expr: rate('tandem_journal_entry_bytes_sum'), legend: 'bytes' }],
        },
      ],
    },
    {
      title: 'Valkey and the job queue',
      panels: [
        {
          title: 'Jobs of turns',
          about: 'A turn that runs is an active job. Waiting ones are waiting for a worker.',
          unit: 'short',
          queries: [{ expr: 'max by (state) (tandem_queue_jobs{queue="turns"})', legend: '{{state}}' }],
        },
        {
          title: 'Jobs of purges',
          about: 'Finished turns are purged after a quarter of an hour: until then their jobs are delayed.',
          unit: 'short',
          queries: [{ expr: 'max by (state) (tandem_queue_jobs{queue="purges"})', legend: '{{state}}' }],
        },
        {
          title: 'Jobs that failed',
          about: 'A second; they are tried again.',
          unit: 'short',
          queries: [{ expr: rate('tandem_job_faults_total'), legend: 'failed' }],
        },
        {
          title: 'Leases and ledger',
          about: 'Calls a second that Valkey did not answer: turns go on without, fenced by the journal.',
          unit: 'short',
          queries: [
            { expr: rate('tandem_lease_store_faults_total'), legend: 'leases' },
            { expr: rate('tandem_usage_ledger_faults_total'), legend: 'usage' },
          ],
        },
      ],
    },
  ],
};
