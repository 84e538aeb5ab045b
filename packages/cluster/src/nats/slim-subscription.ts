import type { Subscription } from '@nats-io/transport-node';

/** What nats.js keeps in a subscription for who iterates over its messages. */
interface IteratorParts {
  signal?: unknown;
  iterClosed?: unknown;
}

/** Settles nothing: with a callback, nobody waits for it. */
const unused = Object.assign(Promise.resolve(), { resolve: () => {}, reject: () => {} });

/**
 * Takes from a subscription with a callback what only iterators need: two promises with all that belongs to them, as much
 * as everything else about it. A gateway has two subscriptions a stream, and thousands of streams.
 */
export function slimSubscription(subscription: Subscription): Subscription {
  const parts = subscription as Subscription & IteratorParts;
  if (isDeferred(parts.signal)) parts.signal = unused;
  if (isDeferred(parts.iterClosed)) parts.iterClosed = unused;
  return subscription;
}

function isDeferred(value: unknown): boolean {
  return value instanceof Promise && 'resolve' in value && 'reject' in value;
}
