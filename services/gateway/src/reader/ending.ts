import type { Clock } from '@tandem/actor-core';
import { toEndStreamError } from '@tandem/errors';
import { encodeEndStream } from '@tandem/proto';
import type { Picked } from './frame-picker.ts';
import type { FrameWriter } from './frame-writer.ts';
import type { Notices } from './notices.ts';
import type { Presence } from './presence.ts';
import type { ReaderEnd, ReaderObserver, Sink } from './reader-types.ts';
import { type ReaderTimings, within } from './timings.ts';

/** Why a response ends. */
export type Ending =
  /** The generation is over: its last frames go out, then the EndStream. */
  | { readonly kind: 'completed'; readonly last: Picked; readonly madeAt: number }
  /** The gateway stops: the response ends between two frames, without an EndStream, and the client comes back for the rest. */
  | { readonly kind: 'drained' }
  /** An error of the gateway's own. */
  | { readonly kind: 'failed'; readonly error: unknown }
  /** The client closed the connection: that is how clients cancel, and how they begin a retry. */
  | { readonly kind: 'closed' }
  /** The client has taken nothing for too long. */
  | { readonly kind: 'stuck' };

/** A response that is to end. */
export interface Response {
  readonly clock: Clock;
  readonly timings: ReaderTimings;
  readonly sink: Sink;
  readonly writer: FrameWriter;
  readonly presence: Presence;
  readonly notices: Notices;
  readonly observer: ReaderObserver;
  readonly readerId: string;
  /** Nothing stands between gateway and client that could hold bytes back. */
  readonly trusted: boolean;
  /** What the client was given a part of; undefined when its request was not found yet. */
  readonly generation: number | undefined;
}

/** Ends a response, and tells whoever has to know. Waits for nobody without bound. @returns how it ended */
export async function endResponse(response: Response, ending: Ending): Promise<ReaderEnd> {
  const { clock, timings, sink, presence, notices, observer } = response;
  switch (ending.kind) {
    case 'completed':
      return await complete(response, ending.last, ending.madeAt);
    case 'drained': {
      const confirmed = await within(clock, timings.finishMs, sink.end(true), false);
      await noteEnd(response, false, confirmed && response.trusted);
      presence.leaving();
      return 'drained';
    }
    case 'failed':
      observer.fault?.(ending.error);
      sink.write(encodeEndStream({ error: toEndStreamError(ending.error) }));
      presence.leaving();
      await within(clock, timings.finishMs, sink.end(false), false);
      return 'failed';
    case 'closed':
      void notices.readerClosed(response.readerId);
      return 'closed';
    case 'stuck':
      sink.destroy();
      presence.leaving();
      return 'stuck';
  }
}

/** Last frames, EndStream, the notice that it was sent, and only then the response's end. */
async function complete(response: Response, last: Picked, madeAt: number): Promise<ReaderEnd> {
  const { clock, timings, sink, writer } = response;
  const frames = last.endStream ? last.frames : [...last.frames, encodeEndStream()];
  const sent = Promise.resolve(writer.send({ ...last, frames }, madeAt));
  await within(clock, timings.stuckMs, sent, undefined);
  const flushed = await within(clock, timings.stuckMs, sink.flushed(), undefined);
  if (flushed === undefined) sink.destroy();
  else if (flushed) await within(clock, timings.finishMs, noteEnd(response, true, false), undefined);
  await within(clock, timings.finishMs, sink.end(false), false);
  if (flushed === undefined) return 'stuck';
  return flushed ? 'completed' : 'closed';
}

/** Tells the turn how far its client was sent it. */
async function noteEnd(response: Response, endStream: boolean, trusted: boolean): Promise<void> {
  const { generation, notices, writer } = response;
  if (generation === undefined) return;
  await notices.responseEnded({ generation, position: writer.position, endStream, trusted });
}
