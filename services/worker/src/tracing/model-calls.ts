import { context, type Span, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import type { TurnFacts } from '@tandem/actor-core';
import type { ModelCall, ModelEvent, Models } from '@tandem/agent';
import { TandemError } from '@tandem/errors';
import type { TurnWatch } from '../watch/turn-watch.ts';
import { ERROR_TYPE, GEN_AI, TANDEM } from './attributes.ts';
import { AnswerContents, inputContents } from './contents.ts';
import type { TurnTraces } from './turn-traces.ts';

/** Models, as a turn calls them. */
export interface TurnModels {
  call(call: ModelCall, signal: AbortSignal, facts: TurnFacts): AsyncIterable<ModelEvent>;
}

export interface TracedModelsOptions {
  readonly models: Pick<Models, 'call'>;
  readonly tracer: Tracer;
  readonly watch: TurnWatch;
  readonly traces: TurnTraces;
  /** Whether prompts and answers become part of the trace. */
  readonly contents: boolean;
}

/** Gives each model call of a turn a span in the turn's, from before its first try until its last event. */
export function tracedModels({ models, tracer, watch, traces, contents }: TracedModelsOptions): TurnModels {
  return {
    async *call(request, signal, facts) {
      const turn = watch.turnOf(facts);
      if (turn) turn.conversationId ||= request.conversationId;
      const parent = traces.contextOf(turn) ?? context.active();
      const span = tracer.startSpan('model_call', { attributes: attributesOf(request) }, parent);
      if (contents) span.setAttribute(GEN_AI.inputMessages, inputContents(request.messages));
      const answer = contents ? new AnswerContents() : undefined;
      const within = trace.setSpan(parent, span);
      const events = context.with(within, () => models.call(request, signal)[Symbol.asyncIterator]());
      try {
        for (;;) {
          // Each step runs in the span's context: what the call starts on its way belongs to it.
          const next = await context.with(within, () => events.next());
          if (next.done) return;
          answer?.take(next.value);
          if (next.value.type === 'finish') finish(span, next.value);
          yield next.value;
        }
      } catch (error) {
        fail(span, signal.aborted ? 'aborted' : TandemError.from(error).reason);
        throw error;
      } finally {
        await context.with(within, () => events.return?.());
        if (answer) span.setAttribute(GEN_AI.outputMessages, answer.text());
        span.end();
      }
    },
  };
}

function attributesOf({ model, conversationId }: ModelCall) {
  return {
    [TANDEM.catalogueModel]: model,
    ...(conversationId && { [GEN_AI.conversation]: conversationId }),
  };
}

function finish(span: Span, { reason, deployment }: Extract<ModelEvent, { type: 'finish' }>): void {
  span.setAttributes({ [GEN_AI.finishReasons]: [reason], [TANDEM.deployment]: deployment });
  if (reason === 'error' || reason === 'interrupted') fail(span, reason);
}

function fail(span: Span, reason: string): void {
  span.setAttribute(ERROR_TYPE, reason);
  span.setStatus({ code: SpanStatusCode.ERROR, message: reason });
}
