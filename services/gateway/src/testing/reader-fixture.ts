import { type DispatchPlace, turnKey } from '@tandem/actor-core';
import { MemoryLog, MemorySignals } from '@tandem/actor-core/memory';
import { seededEntropy, VirtualClock } from '@tandem/actor-core/testing';
import { Reader } from '../reader/reader.ts';
import type { ReaderRequest } from '../reader/reader-types.ts';
import { CollectingSink } from './collecting-sink.ts';
import { FakeActor } from './fake-actor.ts';

export const KEY = turnKey('alice', 'r1');

/** A turn's logs in memory, on virtual time. */
export function setUp(place: DispatchPlace = 'absent') {
  const clock = new VirtualClock();
  const log = new MemoryLog({ clock, maxRecordBytes: 4096 });
  const signals = new MemorySignals({ clock });
  const entropy = seededEntropy(1);
  const dispatcher = {
    place: async () => place,
    dispatched: 0,
    dispatch: async () => {
      dispatcher.dispatched += 1;
    },
  };
  const actor = new FakeActor({ log, signals, clock }, KEY);
  const ends: string[] = [];
  const faults: unknown[] = [];
  const latencies: number[] = [];
  const observer = {
    ended: (end: string) => void ends.push(end),
    relayed: (ms: number) => void latencies.push(ms),
    fault: (error: unknown) => void faults.push(error),
  };
  const deps = { log, signals, dispatcher, clock, entropy, observer };
  const read = (request: Partial<ReaderRequest> = {}) => {
    const sink = new CollectingSink();
    const reader = new Reader(
      deps,
      { key: KEY, requestId: 'r1', acceptsGzip: false, trusted: true, ...request },
      sink,
    );
    reader.start();
    return { reader, sink };
  };
  return { clock, log, signals, dispatcher, actor, read, ends, faults, latencies };
}
