import { create } from '@bufbuild/protobuf';
import type { TurnLogic } from '@tandem/actor-core';
import { agent } from '@tandem/proto';

/** A turn that shows the number of each message it takes in, and ends with a `cancel_action`. */
export const echoLogic: TurnLogic<null, { readonly type: 'none' }, never, never> = {
  create: () => null,
  evolve: () => null,
  decide(state, input) {
    if (input.type !== 'command') return { state, items: [], effects: [] };
    const text = { kind: 'frame', message: shown(`#${input.seqno}`) } as const;
    const ends = input.message.message.case === 'conversationAction';
    return { state, items: ends ? [text, { kind: 'end', outcome: 'completed' }] : [text], effects: [] };
  },
};

/** A message that is shown, or the one that ends the turn. */
export function message(isLast: boolean): agent.AgentClientMessage {
  return create(agent.AgentClientMessageSchema, {
    message: isLast
      ? { case: 'conversationAction', value: { action: { case: 'cancelAction', value: {} } } }
      : { case: 'clientHeartbeat', value: {} },
  });
}

/** The text of a frame. */
export function textOf({ message: { message } }: { message: agent.AgentServerMessage }): string {
  const update = message.case === 'interactionUpdate' ? message.value.message : undefined;
  return update?.case === 'textDelta' ? update.value.text : '';
}

function shown(text: string): agent.AgentServerMessage {
  return create(agent.AgentServerMessageSchema, {
    message: { case: 'interactionUpdate', value: { message: { case: 'textDelta', value: { text } } } },
  });
}
