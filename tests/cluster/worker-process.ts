import { parseArgs } from 'node:util';
import { CLUSTER_DEFAULTS, connectCluster } from '@tandem/cluster';

/** For tests: a worker that says which turns it was given and holds them until it is killed. */
const { values } = parseArgs({ options: { nats: { type: 'string' }, redis: { type: 'string' } } });

const cluster = await connectCluster(
  {
    nats: { ...CLUSTER_DEFAULTS, maxBytesPerStream: 256 * 1024 * 1024, servers: [values.nats ?? ''] },
    redis: { url: values.redis ?? '' },
  },
  { service: 'worker-process' },
);
await cluster.queue({ concurrency: 10 }).start((key) => {
  console.log(`begun ${key.turn}`);
  return new Promise(() => {});
});
console.log('ready');
