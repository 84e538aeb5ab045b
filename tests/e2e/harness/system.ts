import { type Client, createClient } from '@tandem/client';
import { CLUSTER_DEFAULTS, type Cluster, connectCluster } from '@tandem/cluster';
import { startNats, startRedis } from '../../engines/index.ts';
import { type ScriptedProvider, startScriptedProvider } from '../../provider/index.ts';
import { type ProcessCluster, startCluster } from './cluster.ts';
import { type RoundRobinProxy, startRoundRobinProxy } from './round-robin-proxy.ts';
import { type Sdk, startSdk } from './sdk.ts';

/** How large a system is, and what else its processes are told. */
export interface SystemOptions {
  readonly gateways: number;
  readonly workers: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** All of Tandem in processes, with engines of its own, a scripted provider, and clients in front of a round-robin proxy. */
export interface System extends AsyncDisposable {
  /** Offers the models `scripted`, by OpenAI's older API, and `scripted-claude`, which sees images, by Anthropic's. */
  readonly provider: ScriptedProvider;
  readonly cluster: ProcessCluster;
  readonly proxy: RoundRobinProxy;
  readonly client: Client;
  readonly sdk: Sdk;
  /** Reads what the processes wrote to the engines. */
  readonly reader: Cluster;
  readonly redisUrl: string;
}

/** Starts everything; what was started ends when a later part fails, and with the system. */
export async function startSystem({ gateways, workers, env }: SystemOptions): Promise<System> {
  await using starting = new AsyncDisposableStack();
  const [nats, redis] = await Promise.all([startNats(), startRedis()]);
  starting.defer(() => nats.stop());
  starting.defer(() => redis.stop());
  const provider = await startScriptedProvider();
  starting.defer(() => provider.close());
  const providerEnv = {
    OPENAI_BASE_URL: provider.baseUrl,
    OPENAI_API_KEY: 'provider-key',
    TANDEM_OPENAI_MODELS: 'scripted',
    ANTHROPIC_BASE_URL: provider.baseUrl,
    ANTHROPIC_API_KEY: 'provider-key',
    TANDEM_ANTHROPIC_MODELS: 'scripted-claude',
  };
  const cluster = starting.use(
    await startCluster({
      natsUrl: nats.url,
      redisUrl: redis.url,
      gateways,
      workers,
      env: { ...providerEnv, ...env },
    }),
  );
  const proxy = starting.use(await startRoundRobinProxy(cluster.gateways.map(({ url }) => url)));
  const { apiKey } = cluster;
  const client = createClient({ baseUrl: proxy.url, apiKey });
  starting.defer(() => client.close());
  const sdk = starting.use(await startSdk({ url: proxy.url, apiKey }));
  const reader = await connectCluster(
    { nats: { ...CLUSTER_DEFAULTS, servers: [nats.url] }, redis: { url: redis.url } },
    { service: 'test' },
  );
  starting.defer(() => reader.close());

  const started = starting.move();
  return {
    provider,
    cluster,
    proxy,
    client,
    sdk,
    reader,
    redisUrl: redis.url,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
