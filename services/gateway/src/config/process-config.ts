import { kind, logLevelSetting, secret, setting, tracingSettings, usersSettings } from '@tandem/platform';
import { gatewayConfigShape } from './gateway-config.ts';

/** What a gateway's own process adds: users, logs, traces. */
export const gatewayProcessShape = {
  gateway: gatewayConfigShape,
  logLevel: logLevelSetting('info'),
  users: {
    ...usersSettings,
    apiKey: secret(
      'API_KEY',
      kind.optional(kind.text({ minLength: 8 })),
      'the key of the single user `default`; this or a file of users is needed',
    ),
  },
  tokens: {
    secret: secret(
      'TOKEN_SECRET',
      kind.text({ minLength: 32 }),
      'signs access tokens: the same for all gateways',
    ),
    previousSecret: secret(
      'TOKEN_SECRET_PREVIOUS',
      kind.optional(kind.text({ minLength: 32 })),
      'its predecessor, while tokens of that are still out',
    ),
  },
  shutdownMs: setting(
    'SHUTDOWN_TIMEOUT',
    kind.duration({ default: '25s', min: '1s' }),
    "all of an orderly end, the drain's grace included",
  ),
  tracing: tracingSettings,
} as const;
