import { InvalidResponseDataError, type LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { FinishReason, ModelEvent, Usage } from '@tandem/agent';
import type { Clock } from '@tandem/errors';
import type { Deployment } from '@tandem/platform';
import { createEventMapper, type EventMapper } from '../adapter/events.ts';
import type { Family } from '../adapter/family.ts';

import { emptyAnswer, timedOut, toFailure } from './failure.ts';

/** A provider's answer on its way. */
export interface AnswerSource {
  readonly family: Family;
  open(signal: AbortSignal): Promise<ReadableStream<LanguageModelV4StreamPart>>;
  /** Whether the stream that was opened with this signal ended with the marker of its form. */
  doneSeen(signal: AbortSignal): boolean;
}

export interface AnswerContext {
  /** As metrics and logs call it. */
  readonly deployment: string;
  readonly timeouts: Deployment['timeouts'];
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Streams one answer: its events, and how it ended last. Leaving the loop early closes the provider's socket.
 *
 * @throws ProviderFailure when nothing of the answer has come; the signal's reason when it is aborted.
 */
export async function* streamAnswer(
  source: AnswerSource,
  context: AnswerContext,
): AsyncGenerator<ModelEvent> {
  const { deployment, timeouts, clock, signal } = context;
  signal.throwIfAborted();
  const inner = new AbortController();
  const abort = () => inner.abort(signal.reason);
  signal.addEventListener('abort', abort, { once: true });

  const mapper = createEventMapper(source.family, () => source.doneSeen(inner.signal));
  let begun = false;
  let whole = false;
  let progress = clock.now();
  const within = async <T>(work: Promise<T>): Promise<T> => {
    const [what, ms] = begun
      ? (['the next part', timeouts.idleMs] as const)
      : (['the first part', timeouts.firstEventMs] as const);
    const left = Math.max(0, progress + ms - clock.now());
    const timer = clock.after(left, () => inner.abort(timedOut(deployment, what, ms)));
    try {
      return await work;
    } finally {
      timer.cancel();
    }
  };

  try {
    const reader = (await within(source.open(inner.signal))).getReader();
    for (;;) {
      const { done, value } = await within(reader.read());
      inner.signal.throwIfAborted();
      if (done) break;
      const events = mapper.push(value);
      begun ||= events.length > 0;
      yield* events;
      // The caller's own time does not count, nor do keep-alives, nor anything before the answer has begun.
      if (begun && (events.length > 0 || isProgress(value))) progress = clock.now();
    }
    whole = true;
    yield* conclude(mapper, begun, deployment, clock.now());
  } catch (error) {
    signal.throwIfAborted();
    if (!begun) throw toFailure(inner.signal.aborted ? inner.signal.reason : error, deployment, clock.now());
    const { usage } = mapper.end();
    // What makes no sense is an error, unlike what was cut off.
    yield finish(InvalidResponseDataError.isInstance(error) ? 'error' : 'interrupted', usage, deployment);
  } finally {
    signal.removeEventListener('abort', abort);
    if (!whole) inner.abort();
  }
}

function* conclude(
  mapper: EventMapper,
  begun: boolean,
  deployment: string,
  now: number,
): Generator<ModelEvent> {
  const { events, reason, usage, fault } = mapper.end();
  if (!begun && fault !== undefined) throw toFailure(fault, deployment, now);
  if (!begun && reason === 'interrupted') throw emptyAnswer(deployment);
  yield* events;
  yield finish(reason, usage, deployment);
}

function finish(reason: FinishReason, usage: Usage, deployment: string): ModelEvent {
  return { type: 'finish', reason, usage, deployment };
}

/** Keep-alives come as raw chunks of their own type, in Anthropic's form. */
function isProgress(part: LanguageModelV4StreamPart): boolean {
  if (part.type === 'ping') return false;
  return part.type !== 'raw' || (part.rawValue as { type?: unknown } | null)?.type !== 'ping';
}
