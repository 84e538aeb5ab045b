import type { TestProject } from 'vitest/node';
import { startNats, startRedis } from './index.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The run's shared NATS server, with JetStream. Tests that stop or fill an engine start their own. */
    natsUrl: string;
    /** The run's shared Redis or Valkey. */
    redisUrl: string;
  }
}

/** Starts the engines that all tests of the `cluster` project share; `inject('natsUrl')` is where they are. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const nats = await startNats();
  const redis = await startRedis().catch(async (error) => {
    await nats.stop();
    throw error;
  });
  project.provide('natsUrl', nats.url);
  project.provide('redisUrl', redis.url);
  return async () => {
    await Promise.all([nats.stop(), redis.stop()]);
  };
}
