import { foreign, kind, LOG_LEVELS, secret, setting } from '@tandem/platform';
import { gatewayConfigShape } from './gateway-config.ts';

/** What a gateway's own process adds: users, logs, traces. */
export const gatewayProcessShape = {
  gateway: gatewayConfigShape,
  logLevel: setting('LOG_LEVEL', kind.oneOf(LOG_LEVELS, { default: 'info' })),
  users: {
    file: setting('USERS_FILE', kind.optional(kind.text())),
    apiKey: secret('API_KEY', kind.optional(kind.text({ minLength: 8 }))),
    pollMs: setting('USERS_POLL', kind.duration({ default: '5s', min: '100ms' })),
  },
  tokens: {
    /** Signs access tokens: the same for all gateways. */
    secret: secret('TOKEN_SECRET', kind.text({ minLength: 32 })),
    previousSecret: secret('TOKEN_SECRET_PREVIOUS', kind.optional(kind.text({ minLength: 32 }))),
  },
  /** All of the shutdown, the drain's grace included. */
  shutdownMs: setting('SHUTDOWN_TIMEOUT', kind.duration({ default: '25s', min: '1s' })),
  tracing: {
    enabled: setting('TRACING', kind.bool({ default: false })),
    /** The share of traces kept where the client has not decided. */
    sampleRatio: setting('TRACE_SAMPLE_RATIO', kind.decimal({ default: 1, min: 0, max: 1 })),
    endpoint: foreign(
      'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
      kind.optional(kind.url({ protocols: ['http', 'https'] })),
      { secret: false },
    ),
  },
} as const;
