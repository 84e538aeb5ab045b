import type { Node, ProcessCluster } from './cluster.ts';

/**
 * Replaces every process of a cluster by a new one, as a rollout at noon does: one after another, a new one serves before an old one
 * is told to stop. Workers first.
 * @param addresses where the load balancer sends calls; it takes a gateway out before that stops
 * @throws Error when one did not stop in order
 */
export async function rollOut(cluster: ProcessCluster, addresses: string[]): Promise<void> {
  for (const old of [...cluster.workers]) {
    await cluster.addWorker();
    await stop(old);
  }
  for (const old of [...cluster.gateways]) {
    const { url } = await cluster.addGateway();
    addresses.splice(addresses.indexOf(old.url), 1, url);
    await stop(old);
  }
}

async function stop(node: Node): Promise<void> {
  const code = await node.stop();
  if (code !== 0) throw new Error(`${node.name} ended with ${code}:\n${node.output()}`);
}
