import { foreign, kind, LOG_LEVELS, secret, setting } from '@tandem/platform';

/** What turns may reach on the web through this server. */
export const webConfigShape = {
  /** Reads public pages for turns whose user allows it. */
  fetch: setting('WEB_FETCH', kind.bool({ default: true })),
  search: {
    /** `{query}` in it stands for what is searched for. Unset: turns can't search the web. */
    url: setting('WEB_SEARCH_URL', kind.optional(kind.url({ protocols: ['http', 'https'] }))),
    key: secret('WEB_SEARCH_KEY', kind.optional(kind.text())),
    keyHeader: setting('WEB_SEARCH_KEY_HEADER', kind.text({ default: 'authorization' })),
    results: setting('WEB_SEARCH_RESULTS', kind.text({ default: 'results' })),
  },
};

/** What a worker is configured by, whatever engines it runs on. */
export const workerConfigShape = {
  logLevel: setting('LOG_LEVEL', kind.oneOf(LOG_LEVELS, { default: 'info' })),
  concurrentTurns: setting('WORKER_TURNS', kind.integer({ default: 1000, min: 1 })),
  modelSlots: setting('WORKER_MODEL_CALLS', kind.integer({ default: 200, min: 1 })),
  drainGraceMs: setting('DRAIN_GRACE', kind.duration({ default: '20s' })),
  /** Count tokens and cost by user, too. */
  usageMetricsByUser: setting('USAGE_METRICS_BY_USER', kind.bool({ default: false })),
  users: {
    /** The same as gateways have: groups and limits come from it. */
    file: setting('USERS_FILE', kind.optional(kind.text())),
    pollMs: setting('USERS_POLL', kind.duration({ default: '5s', min: '100ms' })),
  },
  blobCache: {
    maxBytes: setting('BLOB_CACHE_SIZE', kind.byteSize({ default: '256MiB' })),
    maxAgeMs: setting('BLOB_CACHE_AGE', kind.duration({ default: '24h' })),
  },
  web: webConfigShape,
};

/** What the worker's own process adds. */
export const workerProcessShape = {
  ...workerConfigShape,
  adminPort: setting('ADMIN_PORT', kind.port({ default: 9091 })),
  adminHost: setting('ADMIN_HOST', kind.text({ default: '0.0.0.0' })),
  blobCacheUrl: secret('BLOB_CACHE_URL', kind.optional(kind.url({ protocols: ['redis', 'rediss'] }))),
  tracing: {
    enabled: setting('TRACING', kind.bool({ default: false })),
    /** The share of traces kept where the client has not decided. */
    sampleRatio: setting('TRACE_SAMPLE_RATIO', kind.decimal({ default: 1, min: 0, max: 1 })),
    /** Prompts and answers become part of traces: for those who may read what users say. */
    contents: setting('TRACE_CONTENTS', kind.bool({ default: false })),
    endpoint: foreign(
      'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
      kind.optional(kind.url({ protocols: ['http', 'https'] })),
      { secret: false },
    ),
  },
};
