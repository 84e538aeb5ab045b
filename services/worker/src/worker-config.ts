import { kind, logLevelSetting, secret, setting, tracingSettings, usersSettings } from '@tandem/platform';

/** What turns may reach on the web through this server. */
export const webConfigShape = {
  fetch: setting(
    'WEB_FETCH',
    kind.bool({ default: true }),
    'turns may read public pages of the web through this process, when their user allows it',
  ),
  search: {
    url: setting(
      'WEB_SEARCH_URL',
      kind.optional(kind.url({ protocols: ['http', 'https'] })),
      'a search provider that answers with JSON; `{query}` in it stands for what is searched for; unset: turns cannot search the web',
    ),
    key: secret('WEB_SEARCH_KEY', kind.optional(kind.text()), "the search provider's key"),
    keyHeader: setting(
      'WEB_SEARCH_KEY_HEADER',
      kind.text({ default: 'authorization' }),
      'the header that carries the key',
    ),
    results: setting(
      'WEB_SEARCH_RESULTS',
      kind.text({ default: 'results' }),
      'where the answer has its list of results, such as `web.results`',
    ),
  },
};

/** What a worker is configured by, whatever engines it runs on. */
export const workerConfigShape = {
  logLevel: logLevelSetting('info'),
  concurrentTurns: setting(
    'WORKER_TURNS',
    kind.integer({ default: 1000, min: 1 }),
    'turns at a time in one process',
  ),
  modelSlots: setting(
    'WORKER_MODEL_CALLS',
    kind.integer({ default: 200, min: 1 }),
    'model calls at a time in one process',
  ),
  drainGraceMs: setting(
    'DRAIN_GRACE',
    kind.duration({ default: '20s' }),
    'how long an orderly end waits for running turns, before it hands them over',
  ),
  usageMetricsByUser: setting(
    'USAGE_METRICS_BY_USER',
    kind.bool({ default: false }),
    'count tokens and cost by user in the metrics, too; of the users that are in the file at start',
  ),
  users: usersSettings,
  blobCache: {
    maxBytes: setting(
      'BLOB_CACHE_SIZE',
      kind.byteSize({ default: '256MiB' }),
      "the cache of conversations in memory, encrypted with each client's own key; `0` switches it off",
    ),
    maxAgeMs: setting(
      'BLOB_CACHE_AGE',
      kind.duration({ default: '24h' }),
      'how long that cache keeps a blob',
    ),
  },
  web: webConfigShape,
};

/** What the worker's own process adds. */
export const workerProcessShape = {
  ...workerConfigShape,
  adminPort: setting('ADMIN_PORT', kind.port({ default: 9091 }), 'the port of probes and metrics'),
  adminHost: setting('ADMIN_HOST', kind.text({ default: '0.0.0.0' }), 'the address of probes and metrics'),
  blobCacheUrl: secret(
    'BLOB_CACHE_URL',
    kind.optional(kind.url({ protocols: ['redis', 'rediss'] })),
    'a Redis of its own for the cache of conversations, that may evict; unset: in memory',
  ),
  tracing: {
    ...tracingSettings,
    contents: setting(
      'TRACE_CONTENTS',
      kind.bool({ default: false }),
      'prompts and answers become part of traces: for those who may read what users say',
    ),
  },
};
