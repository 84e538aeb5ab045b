import { fromBinary } from '@bufbuild/protobuf';
import { Assembler, decodeEntry, journalSubject, type Log, turnKey } from '@tandem/actor-core';
import { agent, EnvelopeDecoder, encodeHex, type tandem } from '@tandem/proto';

const PAGE = 1000;
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** The entries of a turn's journal, in order. */
export async function journalEntries(
  log: Log,
  ownerId: string,
  originalRequestId: string,
): Promise<tandem.Entry[]> {
  const subject = journalSubject(turnKey(ownerId, originalRequestId));
  const assembler = new Assembler();
  const entries: tandem.Entry[] = [];
  let after = 0;
  for (;;) {
    const records = await log.read(subject, after, PAGE);
    if (records.length === 0) return entries;
    for (const record of records) {
      after = record.sequence;
      const message = assembler.push(record);
      if (message) entries.push(decodeEntry(message.payload));
    }
  }
}

/** The frames that the journal of a turn holds, EndStream included, each as the hex of its decompressed payload. */
export async function journalFrames(log: Log, ownerId: string, originalRequestId: string): Promise<string[]> {
  const entries = await journalEntries(log, ownerId, originalRequestId);
  const items = entries.flatMap((entry) => entry.items);
  return items.flatMap(({ kind }) => (kind.case === 'frame' ? framesOf([kind.value]) : []));
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
