import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { follow } from '../src/follow/log-follower.ts';
import { appendMessage } from '../src/parts/append-message.ts';
import { systemClock, systemEntropy } from '../src/ports/clock.ts';
import type { LiveHandler, Log, LogRecord, Part } from '../src/ports/log.ts';
import { LogConflict } from '../src/ports/log-errors.ts';
import { commandSubject, conversationSubject, journalSubject, turnKey } from '../src/subject/turn-key.ts';
import type { Opened } from './opened.ts';

const one: Part = { set: 'a', index: 0, count: 1 };

/** What every log must do. */
export function logContract(name: string, open: () => Promise<Opened<Log>>): void {
  describe(`${name} as a log`, () => {
    let log: Log;
    let close: () => Promise<void>;

    beforeAll(async () => {
      ({ port: log, close } = await open());
    });
    afterAll(() => close());

    it('keeps records in order, with growing sequences', async () => {
      const subject = freshSubject();
      const sequences = await appendAll(log, subject, ['one', 'two', 'three']);
      expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => a - b));
      const records = await readAll(log, subject);
      expect(records.map(text)).toEqual(['one', 'two', 'three']);
      expect(records.map((record) => record.sequence)).toEqual(sequences);
      expect(await log.last(subject)).toMatchObject({ sequence: sequences[2] });
    });

    it('keeps part, payload and time', async () => {
      const subject = freshSubject();
      const payload = Uint8Array.from({ length: 256 }, (_, index) => index);
      const part = { set: '12.345', index: 3, count: 7 };
      const before = Date.now();
      const { sequence } = await log.append(subject, part, payload);
      for (const record of [await log.last(subject), (await readAll(log, subject))[0]]) {
        expect(record).toMatchObject({ sequence, part });
        expect(Buffer.from(record?.payload ?? [])).toEqual(Buffer.from(payload));
        expect(Math.abs((record?.time ?? 0) - before)).toBeLessThan(5000);
      }
    });

    it('keeps empty payloads and the largest', async () => {
      const subject = freshSubject();
      const largest = Buffer.alloc(log.maxRecordBytes, 'x');
      for (const payload of [Buffer.alloc(0), largest, Buffer.alloc(0)])
        await log.append(subject, one, payload);
      const records = await readAll(log, subject);
      expect(records.map((record) => record.payload.length)).toEqual([0, largest.length, 0]);
      expect((await log.last(subject))?.payload).toHaveLength(0);
      await log.purge(subject, records.at(-1)?.sequence ?? 0);
    });

    it('knows nothing of a subject without records', async () => {
      const subject = freshSubject();
      expect(await log.last(subject)).toBeUndefined();
      expect(await log.read(subject, 0, 10)).toEqual([]);
      await log.purge(subject, 10);
    });

    it('reads behind a sequence, at most as many as asked for', async () => {
      const subject = freshSubject();
      const sequences: number[] = [];
      for (let number = 0; number < 10; number++) {
        sequences.push(...(await appendAll(log, subject, [`${number}`])));
        await appendAll(log, freshSubject(), ['other']);
      }
      expect((await log.read(subject, 0, 3)).map(text)).toEqual(['0', '1', '2']);
      expect((await readAll(log, subject, sequences[6])).map(text)).toEqual(['7', '8', '9']);
      expect(await log.read(subject, sequences[9] as number, 3)).toEqual([]);
    });

    it('keeps subjects of the same turn and of others apart', async () => {
      const key = turnKey(randomUUID(), randomUUID());
      const others = turnKey(randomUUID(), key.turn);
      const conversation = conversationSubject(key.owner, key.turn);
      const subjects = [commandSubject(key), journalSubject(key), conversation, commandSubject(others)];
      for (const subject of subjects)
        await log.append(subject, one, Buffer.from(subject), { expectedLast: 0 });
      for (const subject of subjects) expect((await readAll(log, subject)).map(text)).toEqual([subject]);
    });

    describe('a conditional append', () => {
      it('is stored when the expectation holds', async () => {
        const subject = freshSubject();
        const first = await log.append(subject, one, Buffer.from('first'), { expectedLast: 0 });
        await appendAll(log, freshSubject(), ['other']);
        await log.append(subject, one, Buffer.from('second'), { expectedLast: first.sequence });
        expect((await readAll(log, subject)).map(text)).toEqual(['first', 'second']);
      });

      it('is refused when it does not, and stores nothing', async () => {
        const subject = freshSubject();
        const { sequence } = await log.append(subject, one, Buffer.from('first'));
        const refused = (where: string, expectedLast: number) =>
          expect(log.append(where, one, Buffer.from('no'), { expectedLast })).rejects.toThrow(LogConflict);
        for (const expectedLast of [0, sequence - 1, sequence + 1]) await refused(subject, expectedLast);
        await refused(freshSubject(), 7);
        expect((await readAll(log, subject)).map(text)).toEqual(['first']);
      });

      it('is accepted once of many that expect the same', async () => {
        const subject = freshSubject();
        let expectedLast = 0;
        for (let round = 0; round < 5; round++) {
          const append = () => log.append(subject, one, Buffer.from(`${round}`), { expectedLast });
          const tries = await Promise.allSettled(Array.from({ length: 8 }, append));
          const stored = tries.flatMap((result) =>
            result.status === 'fulfilled' ? result.value.sequence : [],
          );
          expect(stored).toHaveLength(1);
          expectedLast = stored[0] as number;
        }
        expect((await readAll(log, subject)).map(text)).toEqual(['0', '1', '2', '3', '4']);
      });
    });

    describe('a subscription', () => {
      it('tells what is stored from then on, each record naming the one before it', async () => {
        const subject = freshSubject();
        const before = await appendAll(log, subject, ['before']);
        const { records, subscription } = await listen(log, subject);
        const texts = Array.from({ length: 100 }, (_, number) => `${number}`);
        const sequences = await appendAll(log, subject, texts);
        await expect.poll(() => records.length).toBe(100);
        expect(records.map(text)).toEqual(texts);
        expect(records.map((record) => record.sequence)).toEqual(sequences);
        expect(records.map((record) => record.previous)).toEqual([...before, ...sequences.slice(0, -1)]);
        expect(records[7]?.part).toEqual(one);
        expect(Math.abs((records[0]?.time ?? 0) - Date.now())).toBeLessThan(5000);
        subscription.close();
      });

      it('names 0 before a subject’s first record', async () => {
        const subject = freshSubject();
        const { records, subscription } = await listen(log, subject);
        await appendAll(log, subject, ['first']);
        await expect.poll(() => records[0]?.previous).toBe(0);
        subscription.close();
      });

      it('serves several, until each is closed', async () => {
        const subject = freshSubject();
        const [a, b] = [await listen(log, subject), await listen(log, subject)];
        await appendAll(log, subject, ['1']);
        await expect.poll(() => [a.records.length, b.records.length]).toEqual([1, 1]);
        a.subscription.close();
        await appendAll(log, subject, ['2']);
        await expect.poll(() => b.records.length).toBe(2);
        expect(a.records).toHaveLength(1);
        b.subscription.close();
      });

      it('does not tell of refused appends', async () => {
        const subject = freshSubject();
        const { records, subscription } = await listen(log, subject);
        await appendAll(log, subject, ['1']);
        const refused = log.append(subject, one, Buffer.from('no'), { expectedLast: 0 });
        await expect(refused).rejects.toThrow(LogConflict);
        await appendAll(log, subject, ['2']);
        await expect.poll(() => records.map(text)).toEqual(['1', '2']);
        subscription.close();
      });
    });

    it('purges up to a sequence and not past it', async () => {
      const subject = freshSubject();
      const [, second, third] = (await appendAll(log, subject, ['1', '2', '3'])) as [number, number, number];
      await log.purge(subject, second);
      expect((await readAll(log, subject)).map(text)).toEqual(['3']);
      await log.purge(subject, third);
      expect(await log.last(subject)).toBeUndefined();
      const next = await log.append(subject, one, Buffer.from('4'), { expectedLast: 0 });
      expect(next.sequence).toBeGreaterThan(third);
    });

    it('tells how full it is', () => {
      const fullness = log.fullness(freshSubject());
      expect(fullness).toBeGreaterThanOrEqual(0);
      expect(fullness).toBeLessThan(1);
    });

    it('can be followed without a seam, also across messages of many records', async () => {
      const subject = freshSubject();
      const sizes = [10, log.maxRecordBytes + 5, 0, 300];
      const options = { clock: systemClock, retryForMs: 5000 };
      const add = (size: number) =>
        appendMessage(log, subject, systemEntropy.id(), Buffer.alloc(size), options);
      const got: number[] = [];
      for (const size of sizes) await add(size);
      const follower = follow({ log, clock: systemClock }, subject, 0, {
        message: (message) => void got.push(message.payload.length),
      });
      for (const size of sizes) await add(size);
      const { sequence } = await add(1);
      await follower.verify();
      expect(got).toEqual([...sizes, ...sizes, 1]);
      expect(follower.position).toBe(sequence);
      follower.close();
      await log.purge(subject, sequence);
    });
  });
}

function freshSubject(): string {
  return journalSubject(turnKey(randomUUID(), randomUUID()));
}

function text(record: LogRecord): string {
  return Buffer.from(record.payload).toString();
}

async function appendAll(log: Log, subject: string, texts: readonly string[]): Promise<number[]> {
  const sequences: number[] = [];
  for (const text of texts) sequences.push((await log.append(subject, one, Buffer.from(text))).sequence);
  return sequences;
}

/** All that is behind `after`. A page may be short; an empty one is the end. */
async function readAll(log: Log, subject: string, after = 0): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  for (;;) {
    const page = await log.read(subject, records.at(-1)?.sequence ?? after, 100);
    if (page.length === 0) return records;
    records.push(...page);
  }
}

async function listen(log: Log, subject: string) {
  const records: LogRecord[] = [];
  const handler: LiveHandler = { record: (record) => void records.push(record), interrupted() {} };
  return { records, subscription: await log.subscribe(subject, handler) };
}
