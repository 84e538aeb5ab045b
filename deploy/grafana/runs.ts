import { type Dashboard, quantile, quantiles, rate } from './model.ts';

/** A run's life: what it waits for, and how it ends. */
export const runs: Dashboard = {
  uid: 'tandem-runs',
  title: 'Tandem: Runs',
  about: 'What becomes of a turn: how long it waits and for what, tools, takeovers, ends.',
  rows: [
    {
      title: 'Where they stand',
      panels: [
        {
          title: 'Turns by phase',
          about: 'All turns that workers hold now.',
          unit: 'short',
          stacked: true,
          queries: [{ expr: 'sum by (phase) (tandem_turns_by_phase)', legend: '{{phase}}' }],
        },
        {
          title: 'Turns by worker',
          about: 'Workers take turns as they are free; a worker that drains has none in the end.',
          unit: 'short',
          stacked: true,
          queries: [{ expr: 'sum by (instance) (tandem_turns_running)', legend: '{{instance}}' }],
        },
        {
          title: 'Jobs of turns',
          about: 'Turns that wait for a worker, and those that one has.',
          unit: 'short',
          queries: [{ expr: 'max by (state) (tandem_queue_jobs{queue="turns"})', legend: '{{state}}' }],
        },
      ],
    },
    {
      title: 'Ends',
      panels: [
        {
          title: 'Turns ended',
          about: 'A second, by outcome.',
          unit: 'reqps',
          stacked: true,
          queries: [{ expr: rate('tandem_turns_ended_total', 'outcome'), legend: '{{outcome}}' }],
        },
        {
          title: 'Why turns failed or were canceled',
          about: 'A second, by reason.',
          unit: 'reqps',
          queries: [
            {
              expr: `${rate('tandem_turns_ended_total{outcome!="completed"}', 'outcome', 'reason')} > 0`,
              legend: '{{outcome}} {{reason}}',
            },
          ],
        },
        {
          title: 'How long turns take',
          about: 'From the storing of the first append to the end, of turns that completed.',
          unit: 's',
          queries: quantiles('tandem_turn_seconds{outcome="completed"}'),
        },
      ],
    },
    {
      title: 'Waits',
      panels: [
        {
          title: 'Until a worker took it up',
          about: 'From the storing of the first append.',
          unit: 's',
          queries: quantiles('tandem_dispatch_wait_seconds'),
        },
        {
          title: 'Time in each phase, p95',
          about: 'Of phases that are over.',
          unit: 's',
          queries: [{ expr: quantile(0.95, 'tandem_turn_phase_seconds', 'phase'), legend: '{{phase}}' }],
        },
        {
          title: 'Share of time by phase',
          about: 'Seconds a second that turns spent in phases that are over.',
          unit: 'short',
          stacked: true,
          queries: [{ expr: rate('tandem_turn_phase_seconds_sum', 'phase'), legend: '{{phase}}' }],
        },
        {
          title: 'Appends that waited for others',
          about: 'How long, of those that came before their turn.',
          unit: 's',
          queries: quantiles('tandem_append_reorder_wait_seconds'),
        },
      ],
    },
    {
      title: 'Tools',
      panels: [
        {
          title: 'Requests to clients',
          about: 'A second, by kind.',
          unit: 'reqps',
          queries: [{ expr: `${rate('tandem_exec_requests_total', 'tool')} > 0`, legend: '{{tool}}' }],
        },
        {
          title: 'Round trips, p95',
          about:
            'From the decision to ask a client until its answer took effect. A shell takes as long as its command.',
          unit: 's',
          queries: [{ expr: quantile(0.95, 'tandem_exec_round_trip_seconds', 'tool'), legend: '{{tool}}' }],
        },
        {
          title: 'Round trips without an answer',
          about: "The client's handler threw, or it closed the exchange.",
          unit: 'reqps',
          queries: [
            {
              expr: rate('tandem_exec_round_trip_seconds_count{end!="answered"}', 'tool', 'end'),
              legend: '{{tool}} {{end}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Takeovers and the journal',
      panels: [
        {
          title: 'Turns taken up',
          about: 'Opened, resumed after another process, answered to a late attempt, or found broken.',
          unit: 'reqps',
          queries: [{ expr: rate('tandem_turns_taken_up_total', 'kind'), legend: '{{kind}}' }],
        },
        {
          title: 'Leases lost, writers fenced off',
          about:
            'Leases that went to another worker; writes that the journal refused because another worker has it.',
          unit: 'short',
          queries: [
            { expr: rate('tandem_leases_lost_total'), legend: 'leases lost' },
            { expr: rate('tandem_writers_deposed_total'), legend: 'writers deposed' },
            { expr: rate('tandem_gateway_redispatches_total'), legend: 'woken again' },
          ],
        },
        {
          title: 'Journal entries stored',
          about: 'From handing an entry to NATS until it was stored.',
          unit: 's',
          queries: quantiles('tandem_journal_publish_seconds'),
        },
        {
          title: 'Items in an entry',
          about: 'A burst of events goes out in one entry while another is on its way.',
          unit: 'short',
          queries: [
            { expr: quantile(0.5, 'tandem_journal_entry_items'), legend: 'p50' },
            { expr: quantile(0.99, 'tandem_journal_entry_items'), legend: 'p99' },
          ],
        },
        {
          title: 'Size of an entry',
          about: 'Bytes.',
          unit: 'bytes',
          queries: [
            { expr: quantile(0.5, 'tandem_journal_entry_bytes'), legend: 'p50' },
            { expr: quantile(0.99, 'tandem_journal_entry_bytes'), legend: 'p99' },
          ],
        },
      ],
    },
  ],
};
