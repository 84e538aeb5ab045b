import { foreign, kind, LOG_LEVELS, secret, setting } from '@tandem/platform';
import { gatewayConfigShape } from './gateway-config.ts';

/** What a gateway's own process adds: users, engines, logs, traces. */
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
  cluster: {
    natsServers: setting('NATS_URL', kind.list({ default: 'nats://127.0.0.1:4222', min: 1 })),
    natsUser: setting('NATS_USER', kind.optional(kind.text())),
    natsPassword: secret('NATS_PASSWORD', kind.optional(kind.text())),
    natsToken: secret('NATS_TOKEN', kind.optional(kind.text())),
    streamPairs: setting('STREAM_PAIRS', kind.integer({ default: 1, min: 1, max: 64 })),
    replicas: setting('REPLICAS', kind.integer({ default: 1, min: 1, max: 5 })),
    maxBytesPerStream: setting('STREAM_MAX_SIZE', kind.byteSize({ default: '4GiB', min: '16MiB' })),
    maxAgeMs: setting('STREAM_MAX_AGE', kind.duration({ default: '24h', min: '13h' })),
    redisUrl: secret(
      'REDIS_URL',
      kind.url({ protocols: ['redis', 'rediss'], default: 'redis://127.0.0.1:6379' }),
    ),
  },
  /** All of the shutdown, the drain's grace included. */
  shutdownMs: setting('SHUTDOWN_TIMEOUT', kind.duration({ default: '25s', min: '1s' })),
  tracing: {
    enabled: setting('TRACING', kind.bool({ default: false })),
    endpoint: foreign(
      'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
      kind.optional(kind.url({ protocols: ['http', 'https'] })),
      { secret: false },
    ),
  },
} as const;
