import { fromBinary } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import type { ModelMessage } from '../../model/message.ts';
import { decodeMessage } from '../../model/message-json.ts';
import { actionMessages } from '../actions.ts';

/** What a wanted blob holds. Blobs are untyped: the type follows from the field that refers to them. */
export type Restored =
  | { readonly kind: 'message'; readonly message: ModelMessage }
  | { readonly kind: 'turn'; readonly turn: agent.ConversationTurnStructure }
  | { readonly kind: 'rules'; readonly part: agent.RequestContextRulesPart }
  | { readonly kind: 'skills'; readonly part: agent.RequestContextSkillsPart }
  | { readonly kind: 'subagents'; readonly part: agent.RequestContextSubagentsPart }
  | { readonly kind: 'mcps'; readonly part: agent.RequestContextMcpsPart }
  | { readonly kind: 'content'; readonly data: Uint8Array };

export type WantedKind = Restored['kind'];

/** The blobs that a turn needs before its first model call. Older turns' structures are carried over unread. */
export function wantedBlobs(
  run: agent.AgentRunRequest,
  action: agent.ConversationAction | undefined,
): { kind: WantedKind; id: Uint8Array }[] {
  const state = run.conversationState;
  const wanted: { kind: WantedKind; id: Uint8Array }[] = [];
  const want = (kind: WantedKind, id: Uint8Array | undefined) => {
    if (id?.length) wanted.push({ kind, id });
  };
  // In a list an empty id is no field that was left out, but a blob that nobody has.
  for (const id of state?.rootPromptMessagesJson ?? []) wanted.push({ kind: 'message', id });
  const turn = state?.turns.at(-1);
  if (turn && action?.action.case === 'resumeAction') wanted.push({ kind: 'turn', id: turn });
  want('rules', action?.requestContextParts?.rulesBlobId);
  want('skills', action?.requestContextParts?.skillsBlobId);
  want('subagents', action?.requestContextParts?.subagentsBlobId);
  want('mcps', action?.requestContextParts?.mcpsBlobId);
  return [...wanted, ...contentBlobs(actionMessages(action))];
}

/** The blobs that stand for texts and images of messages. */
export function contentBlobs(messages: readonly agent.UserMessage[]): { kind: 'content'; id: Uint8Array }[] {
  const wanted: { kind: 'content'; id: Uint8Array }[] = [];
  const want = (id: Uint8Array | undefined) => {
    if (id?.length) wanted.push({ kind: 'content', id });
  };
  for (const message of messages) {
    if (!message.text) want(message.textBlobId);
    for (const { dataOrBlobId } of message.selectedContext?.selectedImages ?? []) {
      if (dataOrBlobId.case === 'blobId') want(dataOrBlobId.value);
    }
    for (const { dataOrBlobId } of message.selectedContext?.extraContextEntries ?? []) {
      if (dataOrBlobId.case === 'blobId') want(dataOrBlobId.value);
    }
  }
  return wanted;
}

/** Decodes a blob as what it was wanted for; undefined when it isn't that. */
export function decodeBlob(kind: WantedKind, data: Uint8Array): Restored | undefined {
  try {
    switch (kind) {
      case 'message':
        return { kind, message: decodeMessage(data) };
      case 'turn':
        return { kind, turn: fromBinary(agent.ConversationTurnStructureSchema, data) };
      case 'rules':
        return { kind, part: fromBinary(agent.RequestContextRulesPartSchema, data) };
      case 'skills':
        return { kind, part: fromBinary(agent.RequestContextSkillsPartSchema, data) };
      case 'subagents':
        return { kind, part: fromBinary(agent.RequestContextSubagentsPartSchema, data) };
      case 'mcps':
        return { kind, part: fromBinary(agent.RequestContextMcpsPartSchema, data) };
      case 'content':
        return { kind, data };
    }
  } catch {
    // The one thing that can fail is decoding, and the caller says what follows from that.
    return undefined;
  }
}
