import { type Context, context, propagation, trace } from '@opentelemetry/api';

/**
 * The trace that a context belongs to, as headers (`traceparent`, `tracestate`) to send along with a message; empty
 * while tracing is off.
 */
export function injectTrace(from: Context = context.active()): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(from, headers);
  return headers;
}

/**
 * The context of whoever sent these headers, to start spans in; the active context when they carry none, are malformed
 * or tracing is off.
 *
 * @param headers by lower-case name
 */
export function extractTrace(headers: Readonly<Record<string, string | undefined>>): Context {
  return propagation.extract(context.active(), headers);
}

/** The id of the trace that a context belongs to, for the fields of a log. */
export function traceIdOf(of: Context = context.active()): string | undefined {
  const span = trace.getSpanContext(of);
  return span && trace.isSpanContextValid(span) ? span.traceId : undefined;
}
