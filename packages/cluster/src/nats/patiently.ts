import { JetStreamApiError } from '@nats-io/jetstream';
import { systemClock as clock, systemEntropy as entropy, LogUnavailable } from '@tandem/actor-core';
import { retry } from '@tandem/errors';
import { ClusterUnsuitable, EngineUnavailable } from '../cluster-errors.ts';

const TRY_FOR_MS = 30_000;
const PACE = { firstMs: 500, maxMs: 500 };

/**
 * At start, tries again what fails because NATS or JetStream is not ready yet: no server, no leader, no quorum, a node
 * that starts.
 * @param what went wrong, for an operator, when it does not come to work
 * @throws ClusterUnsuitable at once when it was refused
 * @throws EngineUnavailable after 30 s
 */
export async function patiently<Result>(
  run: () => Promise<Result>,
  what: (error: unknown) => string = silence,
): Promise<Result> {
  try {
    const until = clock.now() + TRY_FOR_MS;
    const worthRetrying = (error: unknown) => !isRefusal(error);
    return await retry(run, { ...PACE, clock, entropy, until, worthRetrying });
  } catch (error) {
    if (error instanceof ClusterUnsuitable) throw error;
    if (isRefusal(error)) {
      throw new ClusterUnsuitable(`NATS refused a stream: ${(error as Error).message}`, error);
    }
    throw new EngineUnavailable(what(error), error);
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof ClusterUnsuitable || (error instanceof JetStreamApiError && error.status < 500);
}

function silence(error: unknown): string {
  const unanswered = error instanceof LogUnavailable || error instanceof JetStreamApiError;
  return unanswered ? 'JetStream does not answer' : 'JetStream does not answer: is it enabled?';
}
