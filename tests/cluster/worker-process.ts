import { parseArgs } from 'node:util';
import { connectPorts } from '@tandem/test-support/cluster';

/** For tests: a worker that says which turns it was given and holds them until it is killed. */
const { values } = parseArgs({
  options: { nats: { type: 'string', default: '' }, redis: { type: 'string', default: '' } },
});

const cluster = await connectPorts({
  natsUrl: values.nats,
  redisUrl: values.redis,
  maxBytesPerStream: 256 * 1024 * 1024,
});
await cluster.queue({ concurrency: 10 }).start((key) => {
  console.log(`begun ${key.turn}`);
  return new Promise(() => {});
});
console.log('ready');
