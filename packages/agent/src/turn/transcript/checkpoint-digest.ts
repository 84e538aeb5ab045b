import { createHash } from 'node:crypto';
import { toBinary } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';

/** Tells checkpoints apart, whoever encoded them: clients send back what they were sent. */
export function stateDigest(state: agent.ConversationStateStructure): string {
  const bytes = toBinary(agent.ConversationStateStructureSchema, state);
  return createHash('sha256').update(bytes).digest('base64url');
}
