import {
  type ClusterOptions,
  type ProcessCluster,
  type RoundRobinProxy,
  startCluster,
  startRoundRobinProxy,
} from '@tandem/test-support/cluster';

/** A cluster of processes to look at from outside. */
export interface WatchedSystem extends AsyncDisposable {
  readonly cluster: ProcessCluster;
  /** Sends each call to the next gateway. */
  readonly proxy: RoundRobinProxy;
}

/** Starts two gateways and as many workers as asked for. */
export async function startWatchedSystem(options: Omit<ClusterOptions, 'gateways'>): Promise<WatchedSystem> {
  await using starting = new AsyncDisposableStack();
  const cluster = starting.use(await startCluster({ ...options, gateways: 2 }));
  const proxy = starting.use(await startRoundRobinProxy(cluster.gateways.map(({ url }) => url)));
  const started = starting.move();
  return { cluster, proxy, [Symbol.asyncDispose]: () => started.disposeAsync() };
}
