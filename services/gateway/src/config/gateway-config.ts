import { type ConfigOf, kind, setting } from '@tandem/platform';

/** The gateway's settings. Sizes in bytes, times in milliseconds. */
export const gatewayConfigShape = {
  host: setting('HOST', kind.text({ default: '0.0.0.0' }), 'the address that it listens on'),
  port: setting(
    'PORT',
    kind.port({ default: 8080 }),
    'HTTP/1.1 and HTTP/2 on one port; 0 takes any free one',
  ),
  adminPort: setting(
    'ADMIN_PORT',
    kind.optional(kind.port()),
    'probes and metrics on a port of their own; unset: on the main one',
  ),
  tlsCertFile: setting(
    'TLS_CERT_FILE',
    kind.optional(kind.text()),
    'the certificate, a PEM file; unset: the port speaks clear text',
  ),
  tlsKeyFile: setting('TLS_KEY_FILE', kind.optional(kind.text()), "the certificate's key, a PEM file"),
  http2Config: setting(
    'HTTP2_CONFIG',
    kind.integer({ default: 1, min: 0, max: 4 }),
    'what `GetServerConfig` tells clients of HTTP/2: 1 has them use the two channels on https too',
  ),
  streamContentType: setting(
    'STREAM_CONTENT_TYPE',
    kind.oneOf(['auto', 'application/connect+proto', 'text/event-stream'], { default: 'auto' }),
    'the content type of streams: by client (`auto`), or this one for all',
  ),
  trustedProxy: setting(
    'TRUSTED_PROXY',
    kind.bool({ default: false }),
    'the proxies in front pass on each byte at once, and the end of a response only behind it; without this, no response that ' +
      'came through a proxy (one that says so in its headers) is taken for received',
  ),
  tokenTtlMs: setting(
    'TOKEN_TTL',
    kind.duration({ default: '1h', min: '1m', max: '24h' }),
    'how long an access token lives',
  ),
  maxStreams: setting('MAX_STREAMS', kind.integer({ default: 20_000, min: 1 }), 'open streams'),
  limits: {
    messageBytes: setting(
      'MAX_MESSAGE',
      kind.byteSize({ default: '32MiB', min: '1KiB', max: '256MiB' }),
      'one message of a client, decoded',
    ),
    bodyBytes: setting(
      'MAX_BODY_BYTES',
      kind.byteSize({ default: '512MiB', min: '1MiB' }),
      'bodies being read or stored, of all clients',
    ),
    ownerBodyBytes: setting(
      'MAX_OWNER_BODY_BYTES',
      kind.byteSize({ default: '256MiB', min: '1MiB' }),
      'bodies being read or stored, of one user',
    ),
    bodyRoomMs: setting(
      'BODY_ROOM_WAIT',
      kind.duration({ default: '15s' }),
      'how long a body waits for room within these',
    ),
    bodyMs: setting(
      'BODY_TIMEOUT',
      kind.duration({ default: '60s', min: '1s' }),
      'how long a body may take, to which its size at `TANDEM_BODY_MIN_RATE` is added',
    ),
    bodyRate: setting(
      'BODY_MIN_RATE',
      kind.byteSize({ default: '16KiB', min: '1' }),
      'the slowest that a body may come, a second',
    ),
    headersMs: setting(
      'HEADERS_TIMEOUT',
      kind.duration({ default: '20s', min: '100ms' }),
      "how long a request's headers may take",
    ),
    idleMs: setting(
      'IDLE_TIMEOUT',
      kind.duration({ default: '75s', min: '1s' }),
      'how long a connection without a request is kept',
    ),
  },
  storeMs: setting(
    'STORE_TIMEOUT',
    kind.duration({ default: '30s', min: '1s', max: '60s' }),
    'how long an append is tried to be stored',
  ),
  openMs: setting(
    'OPEN_TIMEOUT',
    kind.duration({ default: '120s', min: '1s', max: '1h' }),
    'how long a stream waits for the first append of its request',
  ),
  drainGraceMs: setting(
    'DRAIN_GRACE',
    kind.duration({ default: '5s' }),
    'how long an orderly end waits between failing readiness and ending streams, for load balancers to notice',
  ),
} as const;

export type GatewayConfig = ConfigOf<typeof gatewayConfigShape>;
