import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Dispatcher, DispatchQueue } from '../src/ports/dispatch.ts';
import { type TurnKey, turnKey } from '../src/subject/turn-key.ts';
import type { Opened } from './opened.ts';
import { startWorker } from './worker.ts';

export interface DispatchUnderTest {
  readonly dispatcher: Dispatcher;
  /** A further worker's end. */
  queue(): DispatchQueue;
}

const WAIT = { timeout: 10_000 };

/**
 * What every dispatch must do while no worker dies. Each test opens one of its own, which has no other workers;
 * `close` closes its queues.
 */
export function dispatchContract(name: string, open: () => Promise<Opened<DispatchUnderTest>>): void {
  describe(`${name} as dispatch`, { timeout: 30_000 }, () => {
    let dispatcher: Dispatcher;
    let queue: () => DispatchQueue;
    let close: () => Promise<void>;

    beforeEach(async () => {
      const opened = await open();
      dispatcher = opened.port.dispatcher;
      queue = () => opened.port.queue();
      close = opened.close;
    });
    afterEach(() => close());

    async function untilEnded(key: TurnKey): Promise<void> {
      await expect.poll(() => dispatcher.place(key), WAIT).toBe('absent');
    }

    it('brings a turn to a worker, once', async () => {
      const worker = await startWorker(queue());
      const key = freshKey();
      expect(await dispatcher.place(key)).toBe('absent');
      await dispatcher.dispatch(key);
      await expect.poll(() => worker.begun, WAIT).toEqual([key]);
      expect(await dispatcher.place(key)).toBe('active');
      worker.finish(key, 'done');
      await untilEnded(key);
      expect(worker.begun).toEqual([key]);
    });

    it('keeps a turn waiting until there is a worker, once however often it is dispatched', async () => {
      const key = freshKey();
      await dispatcher.dispatch(key);
      await dispatcher.dispatch(key);
      expect(await dispatcher.place(key)).toBe('waiting');
      const worker = await startWorker(queue(), () => 'done');
      await untilEnded(key);
      expect(worker.begun).toEqual([key]);
    });

    it('keeps a wake-up that comes while the turn is active, once', async () => {
      const worker = await startWorker(queue());
      const key = freshKey();
      await dispatcher.dispatch(key);
      await expect.poll(() => worker.begun.length, WAIT).toBe(1);
      await dispatcher.dispatch(key);
      await dispatcher.dispatch(key);
      expect(worker.begun).toHaveLength(1);
      worker.finish(key, 'done');
      await expect.poll(() => worker.begun.length, WAIT).toBe(2);
      worker.finish(key, 'done');
      await untilEnded(key);
      expect(worker.begun).toEqual([key, key]);
    });

    it('takes a turn anew after its job has ended', async () => {
      const worker = await startWorker(queue(), () => 'done');
      const key = freshKey();
      for (let round = 1; round <= 5; round++) {
        await dispatcher.dispatch(key);
        await expect.poll(() => worker.begun.length, WAIT).toBeGreaterThanOrEqual(round);
        await untilEnded(key);
      }
      expect(worker.begun).toHaveLength(5);
    });

    it('loses no wake-up that races the end of a job', async () => {
      const key = freshKey();
      let wanted = 0;
      let seen = 0;
      await startWorker(queue(), () => {
        seen = wanted;
        return 'done';
      });
      for (let round = 0; round < 50; round++) {
        wanted += 1;
        await dispatcher.dispatch(key);
      }
      await untilEnded(key);
      expect(seen).toBe(wanted);
    });

    it('works on many turns at a time', async () => {
      const worker = await startWorker(queue());
      const keys = Array.from({ length: 20 }, freshKey);
      await Promise.all(keys.map((key) => dispatcher.dispatch(key)));
      await expect.poll(() => worker.begun.length, WAIT).toBe(20);
      expect(new Set(worker.begun.map((key) => key.turn))).toEqual(new Set(keys.map((key) => key.turn)));
      for (const key of keys) worker.finish(key, 'done');
    });

    it('hands a turn on that is put back, to another when this worker pauses', async () => {
      const first = await startWorker(queue());
      const key = freshKey();
      await dispatcher.dispatch(key);
      await expect.poll(() => first.begun.length, WAIT).toBe(1);
      const second = await startWorker(queue());
      await first.queue.pause();
      first.finish(key, 'requeue');
      await expect.poll(() => second.begun, WAIT).toEqual([key]);
      expect(await dispatcher.place(key)).toBe('active');
      second.finish(key, 'done');
      await untilEnded(key);
      expect(first.begun).toHaveLength(1);
    });

    it('brings a turn back that was put back after a further wake-up', async () => {
      const worker = await startWorker(queue());
      const key = freshKey();
      await dispatcher.dispatch(key);
      await expect.poll(() => worker.begun.length, WAIT).toBe(1);
      await dispatcher.dispatch(key);
      worker.finish(key, 'requeue');
      await expect.poll(() => worker.begun.length, WAIT).toBe(2);
      worker.finish(key, 'done');
    });

    it('hands a turn on whose handler threw', async () => {
      const key = freshKey();
      let calls = 0;
      await startWorker(queue(), () => {
        calls += 1;
        if (calls === 1) throw new Error('the handler failed');
        return 'done';
      });
      await dispatcher.dispatch(key);
      await expect.poll(() => calls, WAIT).toBe(2);
      await untilEnded(key);
    });

    it('takes nothing while paused, and closes once its handlers have settled', async () => {
      const worker = await startWorker(queue());
      const [running, late] = [freshKey(), freshKey()];
      await dispatcher.dispatch(running);
      await expect.poll(() => worker.begun.length, WAIT).toBe(1);
      await worker.queue.pause();
      await dispatcher.dispatch(late);
      let closed = false;
      const closing = worker.queue.close().then(() => {
        closed = true;
      });
      // A worker may have had it in its hands already; it puts it back.
      await expect.poll(() => dispatcher.place(late), WAIT).toBe('waiting');
      expect(closed).toBe(false);
      worker.finish(running, 'done');
      await closing;
      expect(await dispatcher.place(running)).toBe('absent');
      expect(worker.begun).toEqual([running]);
    });
  });
}

function freshKey(): TurnKey {
  return turnKey(randomUUID(), randomUUID());
}
