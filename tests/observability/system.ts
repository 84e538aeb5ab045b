import { type ProcessCluster, startCluster } from '../e2e/harness/cluster.ts';
import { type RoundRobinProxy, startRoundRobinProxy } from '../e2e/harness/round-robin-proxy.ts';
import type { Engine } from '../engines/index.ts';
import { startNats, startRedis } from '../engines/index.ts';
import { type ScriptedProvider, startScriptedProvider } from '../provider/index.ts';

/** Tandem in processes with engines and a provider of its own, to look at from outside. */
export interface WatchedSystem extends AsyncDisposable {
  /** Offers the model `scripted`. */
  readonly provider: ScriptedProvider;
  readonly cluster: ProcessCluster;
  /** Sends each call to the next gateway. */
  readonly proxy: RoundRobinProxy;
  readonly nats: Engine;
  readonly redis: Engine;
}

/** Starts two gateways and as many workers as asked for. */
export async function startWatchedSystem(options: {
  workers: number;
  env?: Readonly<Record<string, string>>;
  /** More of it, once the provider's address is known. */
  envOf?: (providerUrl: string) => Readonly<Record<string, string>>;
}): Promise<WatchedSystem> {
  await using starting = new AsyncDisposableStack();
  const [nats, redis] = await Promise.all([startNats(), startRedis()]);
  starting.defer(() => nats.stop());
  starting.defer(() => redis.stop());
  const provider = await startScriptedProvider();
  starting.defer(() => provider.close());
  const cluster = starting.use(
    await startCluster({
      natsUrl: nats.url,
      redisUrl: redis.url,
      gateways: 2,
      workers: options.workers,
      env: {
        OPENAI_BASE_URL: provider.baseUrl,
        OPENAI_API_KEY: 'provider-key',
        TANDEM_OPENAI_MODELS: 'scripted',
        ...options.env,
        ...options.envOf?.(provider.baseUrl),
      },
    }),
  );
  const proxy = starting.use(await startRoundRobinProxy(cluster.gateways.map(({ url }) => url)));
  const started = starting.move();
  return { provider, cluster, proxy, nats, redis, [Symbol.asyncDispose]: () => started.disposeAsync() };
}
