import { readMetric, rollOut, startCluster, startStandalone } from '@tandem/test-support/cluster';
import type { ScriptedProvider } from '@tandem/test-support/provider';
import { MODEL } from './model.ts';

/** The Tandem that a load is put on. */
export interface Target extends AsyncDisposable {
  /** Gateways, each of which may get any call; changes with a rollout. */
  readonly addresses: readonly string[];
  readonly apiKey: string;
  readonly model: string;
  /** The processes of each part, as far as they are this machine's. */
  readonly pids: Readonly<Record<string, () => readonly number[]>>;
  /** How often gateways found that a client takes nothing; absent where they are not asked. */
  slowReaders?(): Promise<number>;
  /** Replaces all processes while they serve; absent where that is not the driver's business. */
  rollOut?(): Promise<void>;
}

/** Two gateways and two workers with engines of their own. @param model a provider of the load's model */
export async function startClusterTarget(model: ScriptedProvider): Promise<Target> {
  const cluster = await startCluster({ gateways: 2, workers: 2, provider: model, env: modelEnv(model) });
  const addresses = cluster.gateways.map(({ url }) => url);
  return {
    addresses,
    apiKey: cluster.apiKey,
    model: MODEL,
    pids: {
      gateways: () => cluster.gateways.map(({ pid }) => pid),
      workers: () => cluster.workers.map(({ pid }) => pid),
      engines: () => [cluster.nats.pid, cluster.redis.pid],
    },
    slowReaders: async () => {
      const counts = addresses.map((url) => readMetric(url, 'tandem_gateway_slow_readers_total'));
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
    },
    rollOut: () => rollOut(cluster, addresses),
    [Symbol.asyncDispose]: cluster[Symbol.asyncDispose],
  };
}

/** One process, without engines. @param model a provider of the load's model */
export async function startStandaloneTarget(model: ScriptedProvider): Promise<Target> {
  const { url, apiKey, service } = await startStandalone(modelEnv(model));
  return {
    addresses: [url],
    apiKey,
    model: MODEL,
    pids: { standalone: () => [service.pid] },
    [Symbol.asyncDispose]: service[Symbol.asyncDispose],
  };
}

/** One that runs already, wherever that is. */
export function runningTarget(url: string, apiKey: string, model: string): Target {
  return { addresses: [url], apiKey, model, pids: {}, [Symbol.asyncDispose]: async () => undefined };
}

function modelEnv({ baseUrl }: ScriptedProvider): Record<string, string> {
  return {
    OPENAI_BASE_URL: baseUrl,
    OPENAI_API_KEY: 'none',
    TANDEM_OPENAI_MODELS: MODEL,
    // The driver reaches gateways directly.
    TANDEM_TRUSTED_PROXY: 'true',
    // How many waiting turns a process holds is the question, not where its bound is.
    TANDEM_WORKER_TURNS: '20000',
  };
}
