import type { Log } from '../ports/log.ts';
import { commandSubject, journalSubject, type TurnKey } from '../subject/turn-key.ts';

/**
 * Removes what a finished turn left, up to these sequences. Commands go first: without their journal they would look
 * like a turn that nobody ran yet.
 * @throws LogUnavailable
 */
export async function purgeTurn(
  log: Log,
  key: TurnKey,
  upTo: { readonly journal: number; readonly commands: number },
): Promise<void> {
  await log.purge(commandSubject(key), upTo.commands);
  await log.purge(journalSubject(key), upTo.journal);
}
