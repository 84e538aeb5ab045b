import { LogFull, LogUnavailable, turnKey } from '@tandem/actor-core';
import { MemoryLog, MemorySignals } from '@tandem/actor-core/memory';
import { seededEntropy, VirtualClock } from '@tandem/actor-core/testing';
import { TandemError } from '@tandem/errors';
import { expect, it } from 'vitest';
import { FakeActor } from '../testing/fake-actor.ts';
import { HEARTBEAT } from '../testing/http-client.ts';
import { storeAppend } from './store-append.ts';

const KEY = turnKey('alice', 'r1');

class TestLog extends MemoryLog {
  full = 0;
  /** How many appends fail first. */
  failing = 0;

  override async append(...args: Parameters<MemoryLog['append']>): ReturnType<MemoryLog['append']> {
    if (this.failing-- > 0) throw new LogUnavailable();
    return super.append(...args);
  }

  override fullness(): number {
    return this.full;
  }
}

function setUp() {
  const clock = new VirtualClock();
  const log = new TestLog({ clock });
  const dispatcher = {
    calls: 0,
    failing: 0,
    place: async () => 'absent' as const,
    dispatch: async () => {
      dispatcher.calls += 1;
      if (dispatcher.failing-- > 0) throw new TandemError('cluster_unavailable');
    },
  };
  const deps = { log, dispatcher, clock, entropy: seededEntropy(1), storeMs: 30_000 };
  const store = (seqno: number) => {
    const outcome = { settled: 'pending' as unknown };
    storeAppend(deps, KEY, { requestId: 'r1', seqno, message: HEARTBEAT }, undefined).then(
      () => {
        outcome.settled = 'stored';
      },
      (error: unknown) => {
        outcome.settled = error;
      },
    );
    return outcome;
  };
  const actor = new FakeActor({ log, signals: new MemorySignals({ clock }) }, KEY);
  return { clock, log, dispatcher, store, actor };
}

it('a log that is away for a while is waited for', async () => {
  const { clock, log, store, actor } = setUp();
  log.failing = 10;
  const outcome = store(1);
  await clock.advance(1000);
  expect(outcome.settled).toBe('pending');
  await clock.advance(20_000);
  expect(outcome.settled).toBe('stored');
  expect(await actor.commands()).toHaveLength(1);
});

it('after 30 s the client is told, and may try again', async () => {
  const { clock, log, store } = setUp();
  log.failing = Number.POSITIVE_INFINITY;
  const outcome = store(1);
  await clock.advance(31_000);
  expect(outcome.settled).toMatchObject({ code: 'unavailable', retryable: true });
});

it('only seqno 0 waits for the dispatch, and has it tried again', async () => {
  const { clock, dispatcher, store } = setUp();
  store(1);
  await clock.advance(0);
  expect(dispatcher.calls).toBe(0);
  dispatcher.failing = 2;
  const outcome = store(0);
  await clock.advance(100);
  expect(outcome.settled).toBe('pending');
  await clock.advance(1000);
  expect(outcome.settled).toBe('stored');
  expect(dispatcher.calls).toBe(3);
});

it('from 80 % on no turn begins, from 95 % on nothing is taken', async () => {
  const { clock, log, store } = setUp();
  const outcomes = async (full: number) => {
    log.full = full;
    const both = [store(0), store(1)];
    await clock.advance(0);
    return both.map(({ settled }) => (settled instanceof LogFull ? 'full' : settled));
  };
  expect(await outcomes(0.79)).toEqual(['stored', 'stored']);
  expect(await outcomes(0.8)).toEqual(['full', 'stored']);
  expect(await outcomes(0.95)).toEqual(['full', 'full']);
});
