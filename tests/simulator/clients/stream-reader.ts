import { fromBinary } from '@bufbuild/protobuf';
import { agent, type Envelope, EnvelopeDecoder, type ParsedEndStream, parseEndStream } from '@tandem/proto';
import type { StreamEvents } from '../services/socket.ts';
import type { StreamRecord } from './attempt-record.ts';

export interface StreamListener {
  /** Anything came: the stream is alive. */
  alive(): void;
  frame(message: agent.AgentServerMessage): void;
  /** `undefined`: the connection was cut, or ended without an EndStream. */
  over(end: ParsedEndStream | undefined): void;
}

/** Decodes one stream, notes what came in `record`, and tells each thing once. */
export function readStream(record: StreamRecord, now: () => number, listener: StreamListener): StreamEvents {
  const decoder = new EnvelopeDecoder({ maxMessageBytes: 64 * 1024 * 1024 });
  const take = ({ payload, endStream }: Envelope) => {
    listener.alive();
    if (endStream) {
      record.frames.push(payload);
      record.times.push(now());
      record.endStream = true;
      listener.over(parseEndStream(payload));
      return;
    }
    const message = fromBinary(agent.AgentServerMessageSchema, payload);
    if (isHeartbeat(message)) return void record.heartbeats.push(now());
    record.frames.push(payload);
    record.times.push(now());
    listener.frame(message);
  };
  return {
    bytes: (chunk) => {
      if (record.over || record.endStream) return;
      for (const envelope of decoder.push(chunk)) take(envelope);
    },
    over: (how) => {
      if (record.over) return;
      record.over = how;
      if (!record.endStream) listener.over(undefined);
    },
  };
}

function isHeartbeat({ message }: agent.AgentServerMessage): boolean {
  return message.case === 'interactionUpdate' && message.value.message.case === 'heartbeat';
}
