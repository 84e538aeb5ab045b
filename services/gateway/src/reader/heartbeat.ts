import { create, toBinary } from '@bufbuild/protobuf';
import { agent, encodeEnvelope } from '@tandem/proto';

/** The frame that keeps a silent stream open; it is part of no log. */
export const HEARTBEAT_FRAME: Uint8Array = encodeEnvelope(
  toBinary(
    agent.AgentServerMessageSchema,
    create(agent.AgentServerMessageSchema, {
      message: {
        case: 'interactionUpdate',
        value: create(agent.InteractionUpdateSchema, {
          message: { case: 'heartbeat', value: create(agent.HeartbeatUpdateSchema) },
        }),
      },
    }),
  ),
);
