import type { TurnState } from '../state.ts';
import { transcript } from '../transcript/transcript.ts';

/** Ids of calls before the running model call; the array is replaced when a message is appended. */
const used = new WeakMap<TurnState['appended'], ReadonlySet<string>>();

/**
 * The id of a tool call that the running model call makes. Some providers number the calls of each answer anew, but clients
 * take a request with the id and arguments of an earlier one for its repetition: they don't carry it out, and give the earlier
 * result. So an id that was used gets an ending.
 */
export function callIdOf(state: TurnState, id: string): string {
  let ids = used.get(state.appended);
  if (!ids) {
    ids = usedIds(state);
    used.set(state.appended, ids);
  }
  let own = id;
  for (let count = state.modelCalls; ids.has(own); count++) own = `${id}.${count}`;
  return own;
}

function usedIds(state: TurnState): Set<string> {
  const ids = new Set<string>();
  for (const message of transcript(state)) {
    if (message.role !== 'assistant') continue;
    for (const part of message.content) if (part.type === 'tool-call') ids.add(part.toolCallId);
  }
  return ids;
}
