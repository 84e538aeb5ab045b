import type { Clock, Dispatcher, Entropy, Log, Signals } from '@tandem/actor-core';
import type { KeyRing, Logger, Metrics, ModelListing, UserDirectory } from '@tandem/platform';
import type { GatewayConfig } from './config/gateway-config.ts';
import type { ReaderTimings } from './reader/timings.ts';

/** All that a gateway works with. */
export interface GatewayDeps {
  readonly config: GatewayConfig;
  readonly log: Log;
  readonly signals: Signals;
  readonly dispatcher: Dispatcher;
  readonly users: UserDirectory;
  /** Signs and checks access tokens. */
  readonly tokens: KeyRing;
  /** The models on offer, the default one first; asked at each call, so that it may change. */
  readonly listing: () => readonly ModelListing[];
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Certificate and key in PEM, to speak TLS. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Whether what the gateway relies on works; without, it is ready whenever it listens. */
  readonly readiness?: () => Promise<{ ready: boolean; checks: unknown }>;
  /** For tests. */
  readonly readerTimings?: ReaderTimings;
}
