import { systemClock, systemEntropy, turnKey } from '@tandem/actor-core';
import { MemoryDispatch, MemoryLog, MemorySignals } from '@tandem/actor-core/memory';
import {
  createKeyRing,
  createMetrics,
  createUserDirectory,
  hashKey,
  type KeyOwner,
  type Logger,
  readConfig,
  silentLogger,
  type UserDirectory,
} from '@tandem/platform';
import { gatewayConfigShape } from '../config/gateway-config.ts';
import type { GatewayDeps } from '../deps.ts';
import { createGateway } from '../gateway.ts';
import { FakeActor } from './fake-actor.ts';

/** Keys of the two users that every fixture knows. */
export const ALICE_KEY = 'alice-key';
export const BOB_KEY = 'bob-key';

const USERS = [
  {
    id: 'alice',
    name: 'Alice',
    groups: [],
    keys: [{ id: 'laptop', sha256: hashKey(ALICE_KEY), disabled: false }],
  },
  { id: 'bob', groups: [], keys: [{ id: 'laptop', sha256: hashKey(BOB_KEY), disabled: false }] },
];

const LISTING = [
  {
    id: 'demo',
    displayName: 'Demo',
    aliases: ['default'],
    parameters: [{ id: 'effort', values: [{ value: 'low' }, { value: 'high' }] }],
  },
];

/** A directory from which users can be taken. */
class RevocableUsers implements UserDirectory {
  readonly #all = createUserDirectory(USERS);
  readonly revoked = new Set<string>();

  get size(): number {
    return this.#all.size;
  }

  findByKey(key: string): KeyOwner | undefined {
    return this.#unlessRevoked(this.#all.findByKey(key));
  }

  findByKeyId(ownerId: string, keyId: string): KeyOwner | undefined {
    return this.#unlessRevoked(this.#all.findByKeyId(ownerId, keyId));
  }

  #unlessRevoked(owner: KeyOwner | undefined): KeyOwner | undefined {
    return owner && !this.revoked.has(owner.ownerId) ? owner : undefined;
  }
}

export interface FixtureOptions {
  readonly env?: Record<string, string>;
  readonly deps?: Partial<GatewayDeps>;
  readonly log?: MemoryLog;
  readonly signals?: MemorySignals;
  readonly logger?: Logger;
}

/** A gateway on a free port of loopback, on memory adapters, with nothing behind it. */
export async function startGateway(options: FixtureOptions = {}) {
  const clock = systemClock;
  const log = options.log ?? new MemoryLog({ clock });
  const signals = options.signals ?? new MemorySignals({ clock });
  const dispatcher = new MemoryDispatch({ clock });
  const users = new RevocableUsers();
  const env = { TANDEM_HOST: '127.0.0.1', TANDEM_PORT: '0', TANDEM_DRAIN_GRACE: '0', ...options.env };
  const metrics = createMetrics({ service: 'gateway', processMetrics: false });
  const gateway = createGateway({
    config: readConfig(gatewayConfigShape, env),
    log,
    signals,
    dispatcher,
    users,
    tokens: createKeyRing({ current: 'x'.repeat(32) }),
    listing: () => LISTING,
    logger: options.logger ?? silentLogger(),
    metrics,
    clock,
    entropy: systemEntropy,
    ...options.deps,
  });
  const { url, port } = await gateway.listen();
  const actor = (requestId: string, owner = 'alice') =>
    new FakeActor({ log, signals }, turnKey(owner, requestId));
  return { gateway, url, port, log, signals, dispatcher, users, metrics, actor };
}

export type GatewayFixture = Awaited<ReturnType<typeof startGateway>>;
