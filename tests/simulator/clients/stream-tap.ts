import { create, toBinary } from '@bufbuild/protobuf';
import { agent, EnvelopeDecoder } from '@tandem/proto';
import type { StreamRecord } from './attempt-record.ts';

const HEARTBEAT = toBinary(
  agent.AgentServerMessageSchema,
  create(agent.AgentServerMessageSchema, {
    message: { case: 'interactionUpdate', value: { message: { case: 'heartbeat', value: {} } } },
  }),
);

/** Notes in `record` what comes of a stream, byte for byte, before its client looks at it. */
export function tapStream(record: StreamRecord, now: () => number): (chunk: Uint8Array) => void {
  const decoder = new EnvelopeDecoder({ maxMessageBytes: 64 * 1024 * 1024 });
  return (chunk) => {
    if (record.over || record.endStream) return;
    for (const { payload, endStream } of decoder.push(chunk)) {
      if (!endStream && Buffer.compare(payload, HEARTBEAT) === 0) {
        record.heartbeats.push(now());
        continue;
      }
      record.frames.push(payload);
      record.times.push(now());
      record.endStream = endStream;
    }
  };
}
