import {
  type Context,
  type Link,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { SessionStart } from '@tandem/actor-core';
import { extractTrace, injectTrace } from '@tandem/platform';
import { tandem } from '@tandem/proto';
import type { Exchange, TurnSink, WatchedTurn } from '../watch/turn-watch.ts';
import { ERROR_TYPE, GEN_AI, TANDEM, USER_ID } from './attributes.ts';

interface TracedTurn {
  readonly span: Span;
  readonly context: Context;
  readonly exchanges: Map<number, Span>;
}

type Begun = Extract<SessionStart, { kind: 'open' | 'resume' }>;

/**
 * The spans of turns: one for this process's work on a turn, in the trace of the append that opened it, and one in it for
 * each request that the client was asked to carry out. Whoever takes a turn over refers to the former owner's span.
 */
export class TurnTraces {
  readonly sink: TurnSink;
  readonly #tracer: Tracer;
  readonly #turns = new WeakMap<WatchedTurn, TracedTurn>();

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
    this.sink = {
      started: (turn) => {
        if ('facts' in turn.start) this.#begin(turn, turn.start);
      },
      phase: (turn, _from, to) => {
        this.#turns.get(turn)?.span.addEvent('phase', { [TANDEM.phase]: nameOf(tandem.Phase[to]) });
      },
      asked: (turn, exchange) => this.#asked(turn, exchange),
      answered: (turn, { id }, end) => {
        const traced = this.#turns.get(turn);
        traced?.exchanges.get(id)?.setAttribute(TANDEM.exchangeEnd, end).end();
        traced?.exchanges.delete(id);
      },
      ended: (turn, ended) => {
        const span = this.#turns.get(turn)?.span;
        span?.setAttribute(TANDEM.outcome, nameOf(tandem.Outcome[ended.outcome]));
        if (ended.reason) span?.setAttribute(ERROR_TYPE, ended.reason);
        if (ended.outcome === tandem.Outcome.FAILED)
          span?.setStatus({ code: SpanStatusCode.ERROR, message: ended.reason });
      },
      left: (turn, end) => this.#left(turn, end),
    };
  }

  /** Where spans of this turn's work belong. */
  contextOf(turn: WatchedTurn | undefined): Context | undefined {
    return turn && this.#turns.get(turn)?.context;
  }

  #begin(turn: WatchedTurn, { facts, kind, openedAt, formerTrace }: Begun): void {
    const sender = extractTrace({ traceparent: facts.info.traceparent });
    const span = this.#tracer.startSpan(
      'invoke_agent',
      {
        kind: SpanKind.CONSUMER,
        links: linksTo(formerTrace),
        attributes: {
          [GEN_AI.operation]: 'invoke_agent',
          [TANDEM.run]: turn.key.turn,
          [TANDEM.request]: facts.requestId,
          [TANDEM.generation]: facts.generation,
          [TANDEM.takenUp]: kind,
          ...(kind === 'open' && { [TANDEM.dispatchWaitMs]: Math.max(0, turn.since - openedAt) }),
          [USER_ID]: facts.ownerId,
        },
      },
      sender,
    );
    const context = trace.setSpan(sender, span);
    this.#turns.set(turn, { span, context, exchanges: new Map() });
    const { traceparent } = injectTrace(context);
    if (traceparent) turn.trace = { traceparent, traceId: span.spanContext().traceId };
  }

  #asked(turn: WatchedTurn, { id, tool }: Exchange): void {
    const traced = this.#turns.get(turn);
    if (!traced) return;
    const attributes = {
      [GEN_AI.operation]: 'execute_tool',
      [GEN_AI.tool]: tool,
      [TANDEM.exchange]: id,
      ...(turn.conversationId && { [GEN_AI.conversation]: turn.conversationId }),
    };
    const span = this.#tracer.startSpan(
      `execute_tool ${tool}`,
      { kind: SpanKind.CLIENT, attributes },
      traced.context,
    );
    traced.exchanges.set(id, span);
  }

  #left(turn: WatchedTurn, end: string): void {
    const traced = this.#turns.get(turn);
    if (!traced) return;
    for (const span of traced.exchanges.values()) span.setAttribute(TANDEM.exchangeEnd, 'left').end();
    if (turn.conversationId) traced.span.setAttribute(GEN_AI.conversation, turn.conversationId);
    traced.span.setAttribute(TANDEM.left, end).end();
    this.#turns.delete(turn);
  }
}

function linksTo(traceparent: string | undefined): Link[] {
  const context = traceparent && trace.getSpanContext(extractTrace({ traceparent }));
  return context ? [{ context, attributes: { [TANDEM.takenUp]: 'former owner' } }] : [];
}

function nameOf(constant: string | undefined): string {
  return (constant ?? 'unknown').toLowerCase();
}
