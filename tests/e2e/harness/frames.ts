import { fromBinary } from '@bufbuild/protobuf';
import { Assembler, decodeEntry, journalSubject, type Log, turnKey } from '@tandem/actor-core';
import { agent, EnvelopeDecoder, encodeHex } from '@tandem/proto';

const PAGE = 1000;
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** The frames that the journal of a turn holds, EndStream included, each as the hex of its decompressed payload. */
export async function journalFrames(log: Log, ownerId: string, originalRequestId: string): Promise<string[]> {
  const subject = journalSubject(turnKey(ownerId, originalRequestId));
  const assembler = new Assembler();
  const frames: string[] = [];
  let after = 0;
  for (;;) {
    const records = await log.read(subject, after, PAGE);
    if (records.length === 0) return frames;
    for (const record of records) {
      after = record.sequence;
      const message = assembler.push(record);
      if (!message) continue;
      for (const { kind } of decodeEntry(message.payload).items) {
        if (kind.case === 'frame') frames.push(...framesOf([kind.value]));
      }
    }
  }
}

/** The frames in a response's bytes, without heartbeats, which are no part of the journal. */
export function framesOf(chunks: readonly Uint8Array[]): string[] {
  const decoder = new EnvelopeDecoder({ maxMessageBytes: MAX_MESSAGE_BYTES });
  const frames: string[] = [];
  for (const chunk of chunks) {
    for (const { payload, endStream } of decoder.push(chunk)) {
      if (endStream || !isHeartbeat(payload)) frames.push(encodeHex(payload));
    }
  }
  decoder.end();
  return frames;
}

function isHeartbeat(payload: Uint8Array): boolean {
  const { message } = fromBinary(agent.AgentServerMessageSchema, payload);
  return message.case === 'interactionUpdate' && message.value.message.case === 'heartbeat';
}
