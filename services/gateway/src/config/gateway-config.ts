import { type ConfigOf, kind, setting } from '@tandem/platform';

/** The gateway's settings. Sizes in bytes, times in milliseconds. */
export const gatewayConfigShape = {
  host: setting('HOST', kind.text({ default: '0.0.0.0' })),
  port: setting('PORT', kind.port({ default: 8080 })),
  /** Metrics and probes on a port of their own; they are on the main one otherwise. */
  adminPort: setting('ADMIN_PORT', kind.optional(kind.port())),
  /** PEM files; without them the port speaks clear text. */
  tlsCertFile: setting('TLS_CERT_FILE', kind.optional(kind.text())),
  tlsKeyFile: setting('TLS_KEY_FILE', kind.optional(kind.text())),
  /** What `GetServerConfig` tells clients of HTTP/2: 1 has them use the two channels on https too. */
  http2Config: setting('HTTP2_CONFIG', kind.integer({ default: 1, min: 0, max: 4 })),
  /** Content type of streams: by client, or always this one. */
  streamContentType: setting(
    'STREAM_CONTENT_TYPE',
    kind.oneOf(['auto', 'application/connect+proto', 'text/event-stream'], { default: 'auto' }),
  ),
  /**
   * Proxies in front pass on each byte at once, and the end of a response only behind it. Without this, a response that
   * came through a proxy (one that says so in its headers) is never taken for received.
   */
  trustedProxy: setting('TRUSTED_PROXY', kind.bool({ default: false })),
  tokenTtlMs: setting('TOKEN_TTL', kind.duration({ default: '1h', min: '1m', max: '24h' })),
  maxStreams: setting('MAX_STREAMS', kind.integer({ default: 20_000, min: 1 })),
  limits: {
    /** One message of a client, decoded. */
    messageBytes: setting('MAX_MESSAGE', kind.byteSize({ default: '32MiB', min: '1KiB', max: '256MiB' })),
    /** Bodies being read or stored, of all clients, and of one owner. */
    bodyBytes: setting('MAX_BODY_BYTES', kind.byteSize({ default: '512MiB', min: '1MiB' })),
    ownerBodyBytes: setting('MAX_OWNER_BODY_BYTES', kind.byteSize({ default: '256MiB', min: '1MiB' })),
    /** How long a body waits for room. */
    bodyRoomMs: setting('BODY_ROOM_WAIT', kind.duration({ default: '15s' })),
    /** A body may take this long, and longer by its size at `bodyRate` a second. */
    bodyMs: setting('BODY_TIMEOUT', kind.duration({ default: '60s', min: '1s' })),
    bodyRate: setting('BODY_MIN_RATE', kind.byteSize({ default: '16KiB', min: '1' })),
    headersMs: setting('HEADERS_TIMEOUT', kind.duration({ default: '20s', min: '100ms' })),
    idleMs: setting('IDLE_TIMEOUT', kind.duration({ default: '75s', min: '1s' })),
  },
  /** How long an append is tried to be stored. */
  storeMs: setting('STORE_TIMEOUT', kind.duration({ default: '30s', min: '1s', max: '60s' })),
  /** How long a stream waits for the first append of its request. */
  openMs: setting('OPEN_TIMEOUT', kind.duration({ default: '120s', min: '1s', max: '1h' })),
  /** Between failing readiness and ending streams, for load balancers to notice. */
  drainGraceMs: setting('DRAIN_GRACE', kind.duration({ default: '5s' })),
} as const;

export type GatewayConfig = ConfigOf<typeof gatewayConfigShape>;
