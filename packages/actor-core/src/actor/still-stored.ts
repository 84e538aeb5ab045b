import type { LoggedCommand } from '../commands/command-intake.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { LogUnavailable } from '../ports/log-errors.ts';
import { commandSubject, type TurnKey } from '../subject/turn-key.ts';
import type { TurnLimits } from './limits.ts';

/**
 * A finished turn may be purged between the looks at its two logs: its commands were seen before, its journal after, as
 * a turn that nobody has run. Commands go first, so that a command which is still there speaks for the journal as it
 * was seen. Only asked of commands that are old enough to be purged.
 * @throws LogUnavailable when the opening command is gone: to be looked at again
 */
export async function checkStillStored(
  deps: { readonly log: Log; readonly clock: Clock; readonly limits: Pick<TurnLimits, 'retentionMs'> },
  key: TurnKey,
  opening: LoggedCommand,
): Promise<void> {
  const { log, clock, limits } = deps;
  if (clock.now() - opening.time < (limits.retentionMs * 2) / 3) return;
  const [record] = await log.read(commandSubject(key), opening.sequence - 1, 1);
  if (record?.sequence !== opening.sequence) throw new LogUnavailable('the turn is being purged');
}
