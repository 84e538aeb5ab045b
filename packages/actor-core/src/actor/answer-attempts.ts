import { create } from '@bufbuild/protobuf';
import { TandemError } from '@tandem/errors';
import { tandem } from '@tandem/proto';
import { commandHistory, type LoggedCommand, readCommand } from '../commands/command-intake.ts';
import { type Consumption, encodeItem, endedItem } from '../journal/entry.ts';
import type { JournalView } from '../journal/journal-view.ts';
import { readThrough } from '../journal/read-through.ts';
import type { Clock, Entropy } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { LogUnavailable } from '../ports/log-errors.ts';
import { commandSubject, type TurnKey } from '../subject/turn-key.ts';
import { factsOf, foldHistory } from './fold.ts';
import type { TurnLogic } from './logic.ts';

/**
 * What is written for attempts at a generation that is over: where each one's reader starts, and that their opening
 * commands are consumed. Nothing runs again.
 * @param consumption what is consumed with them
 * @throws LogUnavailable when the generation is just being purged: its journal was still there, its commands are gone
 */
export async function answerAttempts<State, Local>(
  deps: {
    log: Log;
    clock: Clock;
    entropy: Pick<Entropy, 'random'>;
    logic: TurnLogic<State, never, never, Local>;
    patienceMs: number;
  },
  key: TurnKey,
  view: JournalView,
  attempts: readonly LoggedCommand[],
  consumption: Consumption,
): Promise<tandem.Item[]> {
  const { logic } = deps;
  const { messages } = await readThrough(
    deps,
    commandSubject(key),
    view.before.scanSequence,
    deps.patienceMs,
  );
  const appends = new Map<number, tandem.Append>();
  for (const { sequence, command } of messages.map(readCommand)) {
    if (command.kind.case === 'append') appends.set(sequence, command.kind.value);
  }
  if (!appends.has(view.generation)) throw new LogUnavailable('the turn is being purged');
  const facts = factsOf(view.generation, appends.get(view.generation));
  let { state } = foldHistory(logic, facts, view.entries, (sequence) => appends.get(sequence));
  const items: tandem.Item[] = [];
  for (const { sequence, command } of attempts) {
    if (command.kind.case !== 'append') continue;
    const history = commandHistory(command.kind.value);
    const { requestId, message } = history;
    const ref = create(tandem.CommandRefSchema, { sequence: BigInt(sequence), requestId, seqno: 0n });
    items.push(create(tandem.ItemSchema, { kind: { case: 'command', value: ref } }));
    state = logic.evolve(state, history, { entry: view.lastNumber + 1, item: items.length });
    const input = { type: 'attempt', requestId, message } as const;
    const next = { entry: view.lastNumber + 1, item: items.length };
    const decision = logic.decide(state, input, deps.clock.now(), next);
    state = decision.state;
    for (const item of decision.items) {
      if (item.kind !== 'attempt')
        throw new TandemError('internal', { message: 'an ended turn wants to go on' });
      items.push(...encodeItem(item, () => view.before));
    }
  }
  const { ended } = view;
  items.push(endedItem(ended?.outcome ?? tandem.Outcome.UNSPECIFIED, ended?.reason ?? '', consumption));
  return items;
}
