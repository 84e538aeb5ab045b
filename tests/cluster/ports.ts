import type { Cluster } from '@tandem/cluster';
import { type ConnectOptions, connectPorts } from '@tandem/test-support/cluster';
import { inject } from 'vitest';

/** The ports on the run's shared engines, or on others. */
export function openCluster(options: Partial<ConnectOptions> = {}): Promise<Cluster> {
  return connectPorts({
    natsUrl: inject('natsUrl'),
    redisUrl: inject('redisUrl'),
    maxBytesPerStream: 256 * 1024 * 1024,
    ...options,
  });
}
