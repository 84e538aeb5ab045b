import { create, toBinary } from '@bufbuild/protobuf';
import {
  appendMessage,
  type Clock,
  commandSubject,
  type Dispatcher,
  type Entropy,
  journalSubject,
  type Log,
  LogFull,
  type TurnKey,
} from '@tandem/actor-core';
import { retry } from '@tandem/errors';
import { tandem } from '@tandem/proto';
import type { ClientAppend } from './decode-append.ts';

export interface StoreDeps {
  readonly log: Log;
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** How long an append is tried. Milliseconds. */
  readonly storeMs: number;
}

/** From this fill level on, no new turn begins. */
const FULL_FOR_TURNS = 0.8;
/** From this one on, nothing is appended. */
const FULL_FOR_ALL = 0.95;
const DISPATCH_PACE = { firstMs: 125, maxMs: 500 };

/**
 * Stores a client's message in its turn's command log; the first of a request also wakes a worker. Resolving means
 * stored: the message survives the loss of any process.
 *
 * @param info what the turn is told of the request's headers; with seqno 0, and only then
 * @throws TandemError storage_full, cluster_unavailable
 */
export async function storeAppend(
  deps: StoreDeps,
  key: TurnKey,
  { requestId, seqno, message }: ClientAppend,
  info: tandem.RequestInfo | undefined,
): Promise<void> {
  const { log, dispatcher, clock, entropy, storeMs } = deps;
  const subject = commandSubject(key);
  const full = Math.max(log.fullness(subject), log.fullness(journalSubject(key)));
  if (full >= (seqno === 0 ? FULL_FOR_TURNS : FULL_FOR_ALL)) throw new LogFull();

  const until = clock.now() + storeMs;
  const append = create(tandem.AppendSchema, { requestId, seqno: BigInt(seqno), message, info });
  const payload = toBinary(
    tandem.CommandSchema,
    create(tandem.CommandSchema, { kind: { case: 'append', value: append } }),
  );
  await appendMessage(log, subject, entropy.id(), payload, { clock, entropy, retryForMs: storeMs });
  if (seqno === 0) await retry(() => dispatcher.dispatch(key), { ...DISPATCH_PACE, clock, entropy, until });
}
