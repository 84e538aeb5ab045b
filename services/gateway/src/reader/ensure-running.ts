import {
  commandSubject,
  type Dispatcher,
  type DispatchPlace,
  type Log,
  type TurnKey,
} from '@tandem/actor-core';
import type { StartFinder } from './start-finder.ts';

export interface Ensured {
  /** Something of the turn is to be run, so it was dispatched. */
  readonly owed: boolean;
  readonly place: DispatchPlace;
}

/**
 * Has a turn dispatched again if anything of it is to be run: a generation that goes on, or commands that none has
 * consumed. Tells where it stands in the queue.
 * @throws TandemError cluster_unavailable
 */
export async function ensureRunning(
  { log, dispatcher }: { log: Log; dispatcher: Dispatcher },
  key: TurnKey,
  found: StartFinder,
  named: boolean,
): Promise<Ensured> {
  const owed = named || found.running || (await lastCommand(log, key)) > found.consumed;
  if (owed) await dispatcher.dispatch(key);
  return { owed, place: await dispatcher.place(key) };
}

async function lastCommand(log: Log, key: TurnKey): Promise<number> {
  return (await log.last(commandSubject(key)))?.sequence ?? 0;
}
