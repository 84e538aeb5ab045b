import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Retention } from '../src/ports/dispatch.ts';
import type { Log } from '../src/ports/log.ts';
import { commandSubject, journalSubject, turnKey } from '../src/subject/turn-key.ts';
import type { Opened } from './opened.ts';

export interface RetentionUnderTest {
  readonly retention: Retention;
  /** The log that it purges. */
  readonly log: Log;
}

const one = { set: 'a', index: 0, count: 1 };
const WAIT = { timeout: 10_000 };

/** What every retention must do. */
export function retentionContract(name: string, open: () => Promise<Opened<RetentionUnderTest>>): void {
  describe(`${name} as retention`, { timeout: 30_000 }, () => {
    let retention: Retention;
    let log: Log;
    let close: () => Promise<void>;

    beforeAll(async () => {
      const opened = await open();
      ({ retention, log } = opened.port);
      close = opened.close;
    });
    afterAll(() => close());

    /** A turn with three records in each log. */
    async function storedTurn() {
      const key = turnKey(randomUUID(), randomUUID());
      const [journal, commands]: [number[], number[]] = [[], []];
      for (let number = 0; number < 3; number++) {
        journal.push((await log.append(journalSubject(key), one, Buffer.from('e'))).sequence);
        commands.push((await log.append(commandSubject(key), one, Buffer.from('c'))).sequence);
      }
      const sequences = async (subject: string) =>
        (await log.read(subject, 0, 10)).map((record) => record.sequence);
      return {
        key,
        journal,
        commands,
        upTo: (index: number) => ({ journal: journal[index] as number, commands: commands[index] as number }),
        left: async () => [await sequences(journalSubject(key)), await sequences(commandSubject(key))],
      };
    }

    it('deletes both logs up to where the turn ended, and nothing behind it', async () => {
      const turn = await storedTurn();
      await retention.schedule(turn.key, turn.upTo(1), 0);
      await expect.poll(turn.left, WAIT).toEqual([turn.journal.slice(2), turn.commands.slice(2)]);
    });

    it('waits as long as it is told', async () => {
      const [soon, later] = [await storedTurn(), await storedTurn()];
      await retention.schedule(later.key, later.upTo(2), 60_000);
      await retention.schedule(soon.key, soon.upTo(2), 300);
      expect(await soon.left()).toEqual([soon.journal, soon.commands]);
      await expect.poll(soon.left, WAIT).toEqual([[], []]);
      expect(await later.left()).toEqual([later.journal, later.commands]);
    });

    it('keeps the schedules of a turn’s generations apart', async () => {
      const turn = await storedTurn();
      await retention.schedule(turn.key, turn.upTo(0), 0);
      await retention.schedule(turn.key, turn.upTo(2), 0);
      await expect.poll(turn.left, WAIT).toEqual([[], []]);
    });
  });
}
