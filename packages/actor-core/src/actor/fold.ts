import { create } from '@bufbuild/protobuf';
import { TandemError } from '@tandem/errors';
import { tandem } from '@tandem/proto';
import { commandHistory } from '../commands/command-intake.ts';
import { historyOf } from '../journal/entry.ts';
import type { StoredEntry } from '../journal/journal-view.ts';
import type { TurnFacts, TurnLogic } from './logic.ts';

/** What a history says, as state. */
export interface Folded<State> {
  readonly state: State;
  /** By request id: the first seqno that the history has not applied. */
  readonly nextSeqno: Map<string, number>;
  /** The sequence of the last command that it refers to; 0: none. */
  readonly lastCommand: number;
  /** Takeovers since the last checkpoint that clients were shown. */
  readonly takeovers: number;
}

/**
 * Folds a living generation.
 * @param appendAt the append that stands at a sequence of the command log
 * @throws TandemError internal when the history refers to a command that is gone
 */
export function foldHistory<State, Local>(
  logic: Pick<TurnLogic<State, never, never, Local>, 'create' | 'evolve'>,
  facts: TurnFacts,
  entries: readonly StoredEntry[],
  appendAt: (sequence: number) => tandem.Append | undefined,
): Folded<State> {
  let state = logic.create(facts);
  let takeovers = 0;
  let lastCommand = 0;
  const nextSeqno = new Map<string, number>();
  for (const { entry } of entries) {
    for (const [index, item] of entry.items.entries()) {
      const at = { entry: Number(entry.number), item: index };
      if (item.kind.case === 'owner') takeovers = item.kind.value.takeovers;
      if (item.kind.case === 'command') {
        const append = appendAt(Number(item.kind.value.sequence));
        if (!append)
          throw new TandemError('internal', { message: 'a command of the history is gone from its log' });
        lastCommand = Math.max(lastCommand, Number(item.kind.value.sequence));
        nextSeqno.set(append.requestId, Number(append.seqno) + 1);
        state = logic.evolve(state, commandHistory(append), at);
        continue;
      }
      const history = historyOf(item);
      if (!history) continue;
      if (history.kind === 'frame' && history.message.message.case === 'conversationCheckpointUpdate')
        takeovers = 0;
      state = logic.evolve(state, history, at);
    }
  }
  return { state, nextSeqno, lastCommand, takeovers };
}

/**
 * What a turn is, from the append that opened it.
 * @throws TandemError internal when that append is gone from the command log
 */
export function factsOf(generation: number, opening: tandem.Append | undefined): TurnFacts {
  if (!opening) throw new TandemError('internal', { message: 'the opening command is gone from its log' });
  const info = opening.info ?? create(tandem.RequestInfoSchema);
  return { ownerId: info.ownerId, generation, requestId: opening.requestId, info };
}
