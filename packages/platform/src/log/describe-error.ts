import { TandemError } from '@tandem/errors';

/** Short facts that Node and client libraries put on their errors. */
const FACTS = ['code', 'errno', 'syscall', 'statusCode', 'status'] as const;

/**
 * An error as it is logged: type, code, reason, message, stack, and the chain of its causes. Other properties are left
 * out: libraries keep request and response bodies there.
 *
 * @param redact makes each part fit for the log; it also bounds the chain
 */
export function describeError(error: Error, redact: (part: unknown) => unknown): Record<string, unknown> {
  const described: Record<string, unknown> = { type: error.name };
  for (const fact of FACTS) {
    const value: unknown = Reflect.get(error, fact);
    if (typeof value === 'string' || typeof value === 'number') described[fact] = redact(value);
  }
  if (TandemError.isInstance(error)) {
    described.reason = error.reason;
    described.retryable = error.retryable;
  }
  const quotes = error instanceof SyntaxError;
  described.message = quotes ? 'syntax error' : redact(error.message);
  described.stack = redact(quotes ? framesOf(error) : error.stack);
  if (error.cause !== undefined) described.cause = redact(error.cause);
  if (error instanceof AggregateError) described.errors = redact(error.errors);
  return described;
}

/** The stack without the message: JSON.parse quotes the text that it could not read. */
function framesOf(error: Error): string | undefined {
  return error.stack?.slice(error.stack.search(/^ {4}at /m));
}
