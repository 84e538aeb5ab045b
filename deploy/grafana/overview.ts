import { type Dashboard, quantiles, rate, share } from './model.ts';

/** Is it well? */
export const overview: Dashboard = {
  uid: 'tandem-overview',
  title: 'Tandem: Overview',
  about: 'Is it well? Traffic, errors, latency, saturation.',
  rows: [
    {
      title: 'Now',
      panels: [
        {
          title: 'Open streams',
          about: 'Clients that wait for events.',
          unit: 'short',
          kind: 'stat',
          queries: [{ expr: 'sum(tandem_gateway_streams_open)', legend: 'streams' }],
        },
        {
          title: 'Running turns',
          about: 'Turns that a worker holds, whatever they wait for.',
          unit: 'short',
          kind: 'stat',
          queries: [{ expr: 'sum(tandem_turns_running)', legend: 'turns' }],
        },
        {
          title: 'Failed turns',
          about: 'Share of the turns ended in the last 15 minutes that failed.',
          unit: 'percentunit',
          kind: 'stat',
          warnAt: 0.02,
          badAt: 0.05,
          queries: [
            {
              expr: 'sum(increase(tandem_turns_ended_total{outcome="failed"}[15m])) / (sum(increase(tandem_turns_ended_total[15m])) > 0)',
              legend: 'failed',
            },
          ],
        },
        {
          title: 'Delta latency, p99',
          about: "From a provider's socket to a client's.",
          unit: 's',
          kind: 'stat',
          warnAt: 0.25,
          badAt: 1,
          queries: [
            {
              expr: 'histogram_quantile(0.99, sum by (le) (rate(tandem_gateway_delta_seconds_bucket[15m])))',
              legend: 'p99',
            },
          ],
        },
        {
          title: 'Processes up',
          about: 'Gateways and workers that answer Prometheus.',
          unit: 'short',
          kind: 'stat',
          queries: [
            { expr: 'sum by (component) (up{component=~"gateway|worker"})', legend: '{{component}}' },
          ],
        },
        {
          title: 'Engines durable',
          about: '1 when NATS and Valkey promise all that they could (replicas, no eviction).',
          unit: 'short',
          kind: 'stat',
          goodFrom: 1,
          queries: [{ expr: 'min(tandem_engines_durable)', legend: 'durable' }],
        },
      ],
    },
    {
      title: 'Traffic',
      panels: [
        {
          title: 'Streams open',
          about: 'By gateway: a load balancer should spread them.',
          unit: 'short',
          queries: [{ expr: 'sum by (instance) (tandem_gateway_streams_open)', legend: '{{instance}}' }],
        },
        {
          title: 'Appends',
          about: 'Messages of clients a second, and those refused, by outcome.',
          unit: 'reqps',
          queries: [
            { expr: `${rate('tandem_gateway_appends_total', 'outcome')} > 0`, legend: '{{outcome}}' },
          ],
        },
        {
          title: 'Frames relayed',
          about: 'Events written to clients a second.',
          unit: 'short',
          queries: [
            { expr: rate('tandem_gateway_frames_total'), legend: 'frames' },
            { expr: rate('tandem_gateway_heartbeats_total'), legend: 'heartbeats' },
          ],
        },
        {
          title: 'Bytes relayed',
          about: 'Bytes of frames written to clients a second.',
          unit: 'Bps',
          queries: [{ expr: rate('tandem_gateway_frame_bytes_total'), legend: 'bytes' }],
        },
      ],
    },
    {
      title: 'Errors',
      panels: [
        {
          title: 'Appends refused',
          about: 'Share of appends that were not stored, the clients’ own faults included.',
          unit: 'percentunit',
          queries: [
            {
              expr: share('tandem_gateway_appends_total{outcome!="stored"}', 'tandem_gateway_appends_total'),
              legend: 'refused',
            },
          ],
        },
        {
          title: 'Streams refused, and ended early',
          about:
            'Streams refused by any reason; ended because a client took nothing for too long, or by a fault.',
          unit: 'reqps',
          queries: [
            { expr: rate('tandem_gateway_streams_refused_total'), legend: 'refused' },
            {
              expr: rate('tandem_gateway_streams_ended_total{end=~"stuck|failed"}', 'end'),
              legend: '{{end}}',
            },
          ],
        },
        {
          title: 'Turns failed',
          about: 'By reason. Reasons are explained in the source of packages/errors.',
          unit: 'reqps',
          queries: [
            {
              expr: `${rate('tandem_turns_ended_total{outcome="failed"}', 'reason')} > 0`,
              legend: '{{reason}}',
            },
          ],
        },
        {
          title: 'Faults of our own',
          about: 'Turns that failed by a fault of Tandem, jobs that failed, and times a process stood still.',
          unit: 'short',
          queries: [
            { expr: rate('tandem_turn_faults_total'), legend: 'turns' },
            { expr: rate('tandem_job_faults_total'), legend: 'jobs' },
            { expr: rate('tandem_stalls_total'), legend: 'stalls' },
          ],
        },
      ],
    },
    {
      title: 'Latency',
      panels: [
        {
          title: 'Delta latency',
          about: "From a worker's taking of a provider's event until it was written to the client's socket.",
          unit: 's',
          queries: quantiles('tandem_gateway_delta_seconds'),
        },
        {
          title: 'Time to the first event',
          about: "From a stream's opening to its first event; waiting for the model is not part of it.",
          unit: 's',
          queries: quantiles('tandem_gateway_first_event_seconds'),
        },
        {
          title: 'Appends stored',
          about: "From an append's first byte to its answer: it is stored by then.",
          unit: 's',
          queries: quantiles('tandem_gateway_append_seconds'),
        },
        {
          title: 'Dispatch wait',
          about: 'From the storing of the first append until a worker took the turn up.',
          unit: 's',
          queries: quantiles('tandem_dispatch_wait_seconds'),
        },
      ],
    },
    {
      title: 'Saturation',
      panels: [
        {
          title: 'CPU',
          about: 'Cores used by process. A node process uses little more than one.',
          unit: 'short',
          queries: [
            {
              expr: 'rate(process_cpu_seconds_total{component=~"gateway|worker"}[$__rate_interval])',
              legend: '{{component}} {{instance}}',
            },
          ],
        },
        {
          title: 'Memory',
          about: 'Resident memory by process.',
          unit: 'bytes',
          queries: [
            {
              expr: 'process_resident_memory_bytes{component=~"gateway|worker"}',
              legend: '{{component}} {{instance}}',
            },
          ],
        },
        {
          title: 'Delay of the event loop, p99',
          about: 'All that a process does waits for so long, once in a hundred times.',
          unit: 's',
          queries: [
            {
              expr: 'nodejs_eventloop_lag_p99_seconds{component=~"gateway|worker"}',
              legend: '{{component}} {{instance}}',
            },
          ],
        },
        {
          title: 'Model calls and slots',
          about: 'Calls that run, and calls that wait for a slot of their worker.',
          unit: 'short',
          queries: [
            { expr: 'sum(tandem_model_slots_taken)', legend: 'running' },
            { expr: 'sum(tandem_model_slots_waiting)', legend: 'waiting' },
          ],
        },
        {
          title: 'Bytes of bodies in flight',
          about: 'Of appends that are being read or stored; bounded by configuration.',
          unit: 'bytes',
          queries: [{ expr: 'sum by (instance) (tandem_gateway_body_bytes)', legend: '{{instance}}' }],
        },
        {
          title: 'Slow clients',
          about:
            'Times a second that a client took nothing for a second; and the share of streams that began with stored events.',
          unit: 'short',
          queries: [
            { expr: rate('tandem_gateway_slow_readers_total'), legend: 'slow' },
            { expr: rate('tandem_gateway_replays_total'), legend: 'replays' },
          ],
        },
      ],
    },
  ],
};
