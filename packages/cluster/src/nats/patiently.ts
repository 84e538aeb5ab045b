import { JetStreamApiError } from '@nats-io/jetstream';
import { LogUnavailable } from '@tandem/actor-core';
import { ClusterUnsuitable, EngineUnavailable } from '../cluster-errors.ts';

const TRY_FOR_MS = 30_000;
const PAUSE_MS = 500;

/**
 * At start, tries again what fails because JetStream is not ready yet: no leader, no quorum, a node that starts.
 * @throws ClusterUnsuitable at once when it was refused
 * @throws EngineUnavailable after 30 s
 */
export async function patiently<Result>(run: () => Promise<Result>): Promise<Result> {
  const giveUpAt = Date.now() + TRY_FOR_MS;
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (error instanceof ClusterUnsuitable) throw error;
      if (error instanceof JetStreamApiError && error.status < 500) {
        throw new ClusterUnsuitable(`NATS refused a stream: ${error.message}`, error);
      }
      if (Date.now() + PAUSE_MS > giveUpAt) throw new EngineUnavailable(silence(error), error);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

function silence(error: unknown): string {
  const unanswered = error instanceof LogUnavailable || error instanceof JetStreamApiError;
  return unanswered ? 'JetStream does not answer' : 'JetStream does not answer: is it enabled?';
}
