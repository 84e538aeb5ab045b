import { type Client, createClient } from '@tandem/client';
import type { Cluster } from '@tandem/cluster';
import {
  type ClusterOptions,
  type ProcessCluster,
  type RoundRobinProxy,
  startCluster,
  startRoundRobinProxy,
} from '@tandem/test-support/cluster';
import type { ScriptedProvider } from '@tandem/test-support/provider';
import { type Sdk, startSdk } from './sdk.ts';

/** A cluster of processes, and clients in front of a round-robin proxy. */
export interface System extends AsyncDisposable {
  /** The cluster's. */
  readonly provider: ScriptedProvider;
  readonly cluster: ProcessCluster;
  readonly proxy: RoundRobinProxy;
  readonly client: Client;
  readonly sdk: Sdk;
  /** Reads what the processes wrote to the engines. */
  readonly reader: Cluster;
}

/** Starts everything; what was started ends when a later part fails, and with the system. */
export async function startSystem(options: ClusterOptions): Promise<System> {
  await using starting = new AsyncDisposableStack();
  const cluster = starting.use(await startCluster(options));
  const proxy = starting.use(await startRoundRobinProxy(cluster.gateways.map(({ url }) => url)));
  const { apiKey, provider } = cluster;
  const client = createClient({ baseUrl: proxy.url, apiKey });
  starting.defer(() => client.close());
  const sdk = starting.use(await startSdk({ url: proxy.url, apiKey }));
  const reader = await cluster.connect();

  const started = starting.move();
  return {
    provider,
    cluster,
    proxy,
    client,
    sdk,
    reader,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
