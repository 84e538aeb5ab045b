import type { DispatchPlace } from '@tandem/actor-core';
import type { ReaderTimings } from './timings.ts';

/** What a reader has to do now. */
export type LivenessAction = 'heartbeat' | 'ensure' | 'verify' | 'unavailable' | 'not_found';

/**
 * Decides, from what was seen of a turn, when its reader heartbeats, when it has the turn dispatched again, and when it
 * gives up: a heartbeat must not hide a dead cluster. Pure: times are passed in, milliseconds of one clock.
 */
export class Liveness {
  readonly #timings: ReaderTimings;
  readonly #startedAt: number;
  #named = false;
  #wroteAt: number;
  #pulseAt: number;
  #heard = false;
  #aliveAt: number;
  #workedAt: number;
  #ensuredAt = Number.NEGATIVE_INFINITY;
  #verifiedAt = Number.NEGATIVE_INFINITY;
  #place: DispatchPlace = 'absent';

  constructor(now: number, timings: ReaderTimings) {
    this.#timings = timings;
    this.#startedAt = now;
    this.#wroteAt = now;
    this.#pulseAt = now;
    this.#aliveAt = now;
    this.#workedAt = now;
  }

  /** The journal names the request: from now on its actor owes it signs of life. */
  named(now: number): void {
    this.#named = true;
    this.worked(now);
  }

  /** The client was sent something. */
  wrote(now: number): void {
    this.#wroteAt = now;
  }

  /** The actor gave a sign. @returns whether it may not know of this reader: it is the first, or one after a silence */
  pulse(now: number): boolean {
    const isNews = !this.#heard || now - this.#pulseAt > this.#timings.silentMs;
    this.#heard = true;
    this.#pulseAt = now;
    this.worked(now);
    return isNews;
  }

  /** The journal moved. */
  worked(now: number): void {
    this.#aliveAt = now;
    this.#workedAt = now;
  }

  /** The queue was asked. `owed`: something waits to be run. */
  place(place: DispatchPlace, owed: boolean, now: number): void {
    this.#place = place;
    // With nothing to run, an answer of the queue is all the life there can be.
    if (place !== 'absent' || !owed) this.#aliveAt = now;
  }

  /** What is due. */
  due(now: number): LivenessAction[] {
    const { heartbeatMs, aliveMs, dispatchAfterMs, verifyAfterMs, repeatMs } = this.#timings;
    const end = this.#end(now);
    if (end) return [end];
    const actions: LivenessAction[] = [];
    const quiet = now - Math.max(this.#pulseAt, this.#startedAt);
    if (quiet >= dispatchAfterMs && now - this.#ensuredAt >= repeatMs) {
      this.#ensuredAt = now;
      actions.push('ensure');
    }
    if (quiet >= verifyAfterMs && now - this.#verifiedAt >= repeatMs) {
      this.#verifiedAt = now;
      actions.push('verify');
    }
    if (now - this.#wroteAt >= heartbeatMs && now - this.#aliveAt <= aliveMs) actions.push('heartbeat');
    return actions;
  }

  #end(now: number): 'unavailable' | 'not_found' | undefined {
    const { aliveMs, openWithinMs, queueMs } = this.#timings;
    if (now - this.#aliveAt > aliveMs) return 'unavailable';
    const queued = this.#place === 'waiting';
    if (!this.#named && !queued && now - this.#startedAt >= openWithinMs) return 'not_found';
    if ((this.#named || queued) && now - this.#workedAt >= queueMs) return 'unavailable';
    return undefined;
  }
}
