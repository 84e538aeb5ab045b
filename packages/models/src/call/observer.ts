import type { FinishReason, Usage } from '@tandem/agent';
import type { ErrorReason } from '@tandem/errors';

/** One try of one deployment. All fields are bounded by the configuration, fit for labels. */
export interface TryInfo {
  readonly model: string;
  readonly deployment: string;
  /** The kind of provider, and the model's name there. */
  readonly provider: string;
  readonly providerModel: string;
  /** Counted from 1 over all deployments of the call. */
  readonly attempt: number;
  /** It is asked because those before it did not answer. */
  readonly fallback: boolean;
}

export interface TryEnd {
  /** How the answer ended, the reason of a failure before it began, or that the caller gave up. */
  readonly outcome: FinishReason | ErrorReason | 'aborted';
  /** Milliseconds since the try started. */
  readonly ms: number;
  readonly usage: Usage;
  /** In the unit of the catalogue's prices; undefined without prices. */
  readonly cost: number | undefined;
}

/** Follows one try; `ended` comes exactly once. */
export interface TryObserver {
  firstEvent(ms: number): void;
  ended(end: TryEnd): void;
}

/** Told of each try of a provider, for metrics and traces. */
export type CallObserver = (info: TryInfo) => TryObserver;
