import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { TandemError } from '@tandem/errors';
import { extractTrace, traceIdOf } from '@tandem/platform';
import { header, type Request } from '../server/exchange.ts';

/** The span of one call of a client, in the client's trace if it has one. Costs next to nothing while tracing is off. */
export interface CallSpan {
  /** For the call's log lines; empty while it is not traced. */
  readonly logFields: { readonly traceId?: string };
  /** Runs what belongs to the call. */
  within<Result>(run: () => Result): Result;
  note(attributes: Attributes): void;
  /** The call is over, well unless there is an error. */
  end(error?: TandemError): void;
}

const tracer = trace.getTracer('@tandem/gateway');

/** A call without a trace: nothing is kept for it, since a stream lasts long. */
const UNTRACED: CallSpan = { logFields: {}, within: (run) => run(), note: () => {}, end: () => {} };

/** @param method as "package.Service/Method" */
export function startCallSpan(method: string, request: Request): CallSpan {
  const [service = '', name = ''] = method.split('/');
  const sender = extractTrace({
    traceparent: header(request, 'traceparent'),
    tracestate: header(request, 'tracestate'),
  });
  const attributes = { 'rpc.system': 'connect_rpc', 'rpc.service': service, 'rpc.method': name };
  const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, sender);
  if (!isSpanContextValid(span.spanContext())) return UNTRACED;
  const active: Context = trace.setSpan(sender, span);
  const traceId = span.isRecording() ? traceIdOf(active) : undefined;
  return {
    logFields: traceId === undefined ? {} : { traceId },
    within: (run) => context.with(active, run),
    note: (more) => void span.setAttributes(more),
    end: (error) => {
      if (error) {
        span.setAttribute('error.type', error.reason);
        span.setAttribute('rpc.connect_rpc.error_code', error.code);
        if (error.reason === 'internal')
          span.setStatus({ code: SpanStatusCode.ERROR, message: error.reason });
      }
      span.end();
    },
  };
}
