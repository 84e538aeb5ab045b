import { type Span, SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import type { CallObserver, TryEnd } from '@tandem/models';
import { tellAll } from '../watch/turn-watch.ts';
import { ERROR_TYPE, GEN_AI, TANDEM } from './attributes.ts';

const GOOD_ENDS = new Set<TryEnd['outcome']>(['stop', 'tool_calls', 'length', 'aborted']);

/** A span for each try of a provider, in the active context: that of the turn's model call. */
export function callTraces(tracer: Tracer): CallObserver {
  return ({ model, deployment, attempt, provider, providerModel }) => {
    const span = tracer.startSpan(`chat ${providerModel}`, {
      kind: SpanKind.CLIENT,
      attributes: {
        [GEN_AI.operation]: 'chat',
        [GEN_AI.provider]: provider,
        [GEN_AI.requestModel]: providerModel,
        [TANDEM.catalogueModel]: model,
        [TANDEM.deployment]: deployment,
        [TANDEM.attempt]: attempt,
      },
    });
    return {
      firstEvent: () => void span.addEvent('first_event'),
      ended: (end) => close(span, end),
    };
  };
}

function close(span: Span, { outcome, usage }: TryEnd): void {
  span.setAttributes({
    [GEN_AI.finishReasons]: [outcome],
    [GEN_AI.inputTokens]: usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
    [GEN_AI.outputTokens]: usage.outputTokens,
    [GEN_AI.cacheReadTokens]: usage.cacheReadTokens,
    [GEN_AI.cacheWriteTokens]: usage.cacheWriteTokens,
  });
  if (!GOOD_ENDS.has(outcome)) {
    span.setAttribute(ERROR_TYPE, outcome);
    span.setStatus({ code: SpanStatusCode.ERROR, message: outcome });
  }
  span.end();
}

/** Tells each of a list of each try. */
export function allCallObservers(observers: readonly CallObserver[]): CallObserver {
  return (info) => tellAll(observers.map((observe) => observe(info)));
}
