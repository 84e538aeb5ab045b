import { TandemError } from '@tandem/errors';

/** The engines cannot do what the configuration promises: the service must not start. */
export class ClusterUnsuitable extends TandemError {
  override readonly name = 'ClusterUnsuitable';
  /** @param message what is wrong and what to do about it, for the operator */
  constructor(message: string, cause?: unknown) {
    super('internal', { message, cause });
  }
}

/** An engine did not answer. */
export class EngineUnavailable extends TandemError {
  override readonly name = 'EngineUnavailable';
  constructor(message: string, cause?: unknown) {
    super('cluster_unavailable', { message, cause });
  }
}
