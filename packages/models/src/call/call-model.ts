import type { ModelCall, ModelEvent, Usage } from '@tandem/agent';
import { Backoff, type Clock, TandemError } from '@tandem/errors';
import type { CatalogueModel, Deployment } from '@tandem/platform';
import { NO_USAGE } from '../adapter/usage.ts';
import { ProviderFailure } from './failure.ts';
import type { CallObserver, TryEnd } from './observer.ts';

const PACE = { firstMs: 500, maxMs: 8000 };
/** Waits that are longer than this are not sat out: the next deployment, or the client, may do better. */
const LONGEST_WAIT_MS = 20_000;

const MILLION = 1_000_000;

/** Streams one try of one deployment; throws ProviderFailure before the first event, or the signal's reason. */
export type Try = (deployment: Deployment, call: ModelCall, signal: AbortSignal) => AsyncIterable<ModelEvent>;

export interface CallContext {
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly observe: CallObserver;
  readonly tryOnce: Try;
}

/** How metrics, logs and the `finish` event call a deployment. */
export function deploymentName({ name, provider, model }: Deployment): string {
  return name ?? (model === undefined ? provider : `${provider}/${model}`);
}

/**
 * Streams a call: the deployments in order, each with its retries, until one begins to answer. From then on the answer
 * is that one's, whatever comes of it.
 */
export async function* callModel(
  model: CatalogueModel,
  call: ModelCall,
  signal: AbortSignal,
  context: CallContext,
): AsyncGenerator<ModelEvent> {
  const failures: ProviderFailure[] = [];
  let attempt = 0;
  const { clock, random } = context;
  for (const deployment of model.deployments) {
    const backoff = new Backoff({ ...PACE, clock, entropy: { random }, retries: deployment.retries });
    for (;;) {
      attempt += 1;
      try {
        yield* observed(model, deployment, attempt, call, signal, context);
        return;
      } catch (error) {
        if (signal.aborted || !(error instanceof ProviderFailure)) throw error;
        failures.push(error);
        if (!error.again || (error.retryAfterMs ?? 0) > LONGEST_WAIT_MS) break;
        if (!(await backoff.wait(signal, error.retryAfterMs))) break;
      }
    }
    if (failures.at(-1)?.elsewhere === false) break;
  }
  // A fault that may pass says more to a client than one of a deployment that was only asked in its stead.
  throw failures.at(-1)?.elsewhere === false
    ? failures.at(-1)
    : (failures.findLast(({ retryable }) => retryable) ?? failures.at(-1));
}

async function* observed(
  model: CatalogueModel,
  deployment: Deployment,
  attempt: number,
  call: ModelCall,
  signal: AbortSignal,
  { clock, observe, tryOnce }: CallContext,
): AsyncGenerator<ModelEvent> {
  const started = clock.now();
  const observer = observe({
    model: model.id,
    deployment: deploymentName(deployment),
    provider: deployment.provider,
    providerModel: deployment.model ?? model.id,
    attempt,
    fallback: deployment !== model.deployments[0],
  });
  let begun = false;
  let outcome: TryEnd['outcome'] = 'aborted';
  let usage = NO_USAGE;
  try {
    for await (const event of tryOnce(deployment, call, signal)) {
      if (!begun) observer.firstEvent(clock.now() - started);
      begun = true;
      if (event.type === 'finish') ({ reason: outcome, usage } = event);
      yield event;
    }
  } catch (error) {
    if (!signal.aborted) outcome = TandemError.from(error).reason;
    throw error;
  } finally {
    observer.ended({ outcome, ms: clock.now() - started, usage, cost: costOf(model.price, usage) });
  }
}

/**
 * What a call cost, in the unit of the catalogue's prices. Tokens of the cache cost as much as input unless they have
 * a price of their own.
 */
export function costOf(price: CatalogueModel['price'], usage: Usage): number | undefined {
  if (!price) return undefined;
  const { input, output, cacheRead = input, cacheWrite = input } = price;
  return (
    (usage.inputTokens * input +
      usage.outputTokens * output +
      usage.cacheReadTokens * cacheRead +
      usage.cacheWriteTokens * cacheWrite) /
    MILLION
  );
}
