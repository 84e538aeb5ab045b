import { Backoff } from '@tandem/errors';
import { Assembler, type AssemblerOptions, type Message } from '../parts/assembler.ts';
import type { Clock, Entropy } from '../ports/clock.ts';
import type { Log, LogRecord } from '../ports/log.ts';
import { LogUnavailable } from '../ports/log-errors.ts';

const PAGE = 256;
const LAG_PACE = { firstMs: 5, maxMs: 500 };

export interface Backlog {
  readonly messages: Message[];
  /** The subject's last record when the leader was asked. */
  readonly last: LogRecord | undefined;
}

/**
 * Reads a subject behind `after` up to what its leader says is the last record, waiting for replicas that lag.
 * @throws LogUnavailable when the log did not answer within `patienceMs`
 */
export async function readThrough(
  { log, clock, entropy }: { log: Log; clock: Clock; entropy: Pick<Entropy, 'random'> },
  subject: string,
  after: number,
  patienceMs: number,
  assembly?: AssemblerOptions,
): Promise<Backlog> {
  const until = clock.now() + patienceMs;
  const lastRecord = await log.last(subject);
  const last = lastRecord?.sequence ?? 0;
  const assembler = new Assembler(assembly);
  const messages: Message[] = [];
  let position = after;
  let lag: Backoff | undefined;
  while (position < last) {
    const records = await log.read(subject, position, PAGE);
    for (const record of records) {
      if (record.sequence > last) break;
      position = record.sequence;
      const message = assembler.push(record);
      if (message) messages.push(message);
    }
    if ((records.at(-1)?.sequence ?? 0) >= last) break;
    if (records.length > 0) continue;
    // What was purged meanwhile is never read; the leader's word on that ends the wait.
    if (((await log.last(subject))?.sequence ?? 0) === 0) break;
    lag ??= new Backoff({ clock, entropy, until, ...LAG_PACE });
    if (!(await lag.wait())) throw new LogUnavailable('a replica lags');
  }
  return { messages, last: lastRecord };
}
