import { fromBinary } from '@bufbuild/protobuf';
import type { ModelMessage } from '@tandem/agent';
import { agent, encodeHex } from '@tandem/proto';
import type { TurnRecord } from '../clients/attempt-record.ts';
import { type Exchange, exchangesOf } from '../model/script.ts';

/** What a checkpoint holds of a turn, as a model would be told it. */
export function exchangeIn(
  checkpoint: agent.ConversationStateStructure,
  { blobs, script }: TurnRecord,
): Exchange | undefined {
  const messages: ModelMessage[] = [];
  for (const id of checkpoint.rootPromptMessagesJson) {
    const data = blobs.get(encodeHex(id));
    if (data) messages.push(JSON.parse(Buffer.from(data).toString()) as ModelMessage);
  }
  return exchangesOf(messages).findLast((one) => one.script.id === script);
}

/** The blobs that a checkpoint refers to, those of its turns included, in hex. */
export function referencesOf(
  checkpoint: agent.ConversationStateStructure,
  blobs: ReadonlyMap<string, Uint8Array>,
): string[] {
  const ids = checkpoint.rootPromptMessagesJson.map(encodeHex);
  for (const id of checkpoint.turns.map(encodeHex)) {
    ids.push(id);
    const data = blobs.get(id);
    const turn = data && fromBinary(agent.ConversationTurnStructureSchema, data).turn;
    if (turn?.case !== 'agentConversationTurn') continue;
    ids.push(encodeHex(turn.value.userMessage), ...turn.value.steps.map(encodeHex));
  }
  return ids;
}
