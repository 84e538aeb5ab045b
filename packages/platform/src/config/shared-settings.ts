import { LOG_LEVELS } from '../log/logger.ts';
import { bool, decimal, duration, oneOf, optional, text, url } from './kinds.ts';
import { foreign, setting } from './setting.ts';

/** How much a program logs. */
export function logLevelSetting(otherwise: (typeof LOG_LEVELS)[number]) {
  return setting('LOG_LEVEL', oneOf(LOG_LEVELS, { default: otherwise }), 'how much is logged, as JSON lines');
}

/** Where users are described, in every program that knows them. */
export const usersSettings = {
  file: setting(
    'USERS_FILE',
    optional(text()),
    '[users, groups and their limits](#users-file), the same file for gateways and workers; followed without a restart',
  ),
  pollMs: setting(
    'USERS_POLL',
    duration({ default: '5s', min: '100ms' }),
    'how often that file is looked at',
  ),
} as const;

/** Traces, in programs of their own. */
export const tracingSettings = {
  enabled: setting('TRACING', bool({ default: false }), 'traces by OpenTelemetry'),
  sampleRatio: setting(
    'TRACE_SAMPLE_RATIO',
    decimal({ default: 1, min: 0, max: 1 }),
    'the share of traces kept where the client has not decided',
  ),
  endpoint: foreign('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', optional(url({ protocols: ['http', 'https'] })), {
    secret: false,
    description: 'where traces go; unset: where OpenTelemetry sends them by itself',
  }),
} as const;
