import { CLUSTER_DEFAULTS, ClusterUnsuitable, connectCluster } from '@tandem/cluster';
import { expect, inject, test } from 'vitest';

const config = {
  nats: { servers: [inject('natsUrl')], ...CLUSTER_DEFAULTS, maxBytesPerStream: 64 * 1024 * 1024 },
  redis: { url: inject('redisUrl') },
};

test('engines that promise less than they could are named, and refused where durability is asked for', async () => {
  const told: boolean[] = [];
  const cluster = await connectCluster(config, {
    service: 'test',
    observer: { durable: (all) => told.push(all) },
  });
  expect(cluster.advice.join()).toContain('one replica');
  expect(told).toEqual([false]);
  const facts = await Promise.all(cluster.checks.map(({ check }) => check()));
  expect(facts).toContainEqual({ durable: false });
  await cluster.close();

  const refused = connectCluster({ ...config, durable: true }, { service: 'test' });
  await expect(refused).rejects.toThrow(ClusterUnsuitable);
  await expect(refused).rejects.toThrow('not durable');
});
