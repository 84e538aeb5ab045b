import { expect, test } from 'vitest';
import { MemoryLog } from '../memory/memory-log.ts';
import type { Log } from '../ports/log.ts';
import { LogConflict, LogFull, LogUnavailable } from '../ports/log-errors.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { appendMessage } from './append-message.ts';
import { Assembler } from './assembler.ts';

/** A log whose appends throw what `faults` holds, one an append; `stored` ones are stored all the same. */
function faulty(clock: VirtualClock, faults: { error: Error; stored?: boolean }[]): Log & { tries: number } {
  const log = new MemoryLog({ clock, maxRecordBytes: 4 });
  const append = log.append.bind(log);
  return Object.assign(log, {
    tries: 0,
    async append(this: { tries: number }, ...args: Parameters<Log['append']>) {
      this.tries += 1;
      const fault = faults.shift();
      if (!fault || fault.stored) {
        const result = await append(...args);
        if (!fault) return result;
      }
      throw fault.error;
    },
  });
}

const payload = Buffer.from('0123456789');

test('a message of several records survives that some are sent twice', async () => {
  const clock = new VirtualClock();
  const log = faulty(clock, [{ error: new LogUnavailable(), stored: true }, { error: new LogFull() }]);
  const done = appendMessage(log, 's', 'a', payload, { clock, retryForMs: 1000 });
  await clock.advance(1000);
  const { sequence } = await done;
  const assembler = new Assembler();
  const got = (await log.read('s', 0, 10)).flatMap((record) => assembler.push(record) ?? []);
  expect(got).toHaveLength(1);
  expect(got[0]?.sequence).toBe(sequence);
  expect(Buffer.from(got[0]?.payload ?? []).toString()).toBe('0123456789');
});

test('it gives up in time', async () => {
  const clock = new VirtualClock();
  const log = faulty(
    clock,
    Array.from({ length: 100 }, () => ({ error: new LogUnavailable() })),
  );
  const start = clock.now();
  const done = expect(appendMessage(log, 's', 'a', payload, { clock, retryForMs: 30_000 })).rejects.toThrow(
    LogUnavailable,
  );
  await clock.advanceUntil(() => clock.untilNext() === undefined, 60_000);
  await done;
  expect(clock.now() - start).toBeGreaterThan(28_000);
  expect(clock.now() - start).toBeLessThanOrEqual(30_000);
  expect(log.tries).toBeLessThan(40);
});

test('it does not try again what cannot help', async () => {
  const clock = new VirtualClock();
  const log = faulty(clock, [{ error: new LogConflict() }]);
  await expect(appendMessage(log, 's', 'a', payload, { clock, retryForMs: 1000 })).rejects.toThrow(
    LogConflict,
  );
});
