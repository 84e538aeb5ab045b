import { createHash } from 'node:crypto';
import { fromBinary } from '@bufbuild/protobuf';
import { agent, encodeHex } from '@tandem/proto';
import type { Generation, LoggedAppend } from './journals.ts';
import { referencesOf } from './transcripts.ts';
import type { Check } from './violation.ts';

/** No checkpoint refers to a blob that its client has not confirmed before (docs/protocol.md, 6). */
export const noDanglingReference: Check = (_run, { generations, appends }, report) => {
  for (const [subject, own] of generations) {
    const logged = appends.get(subject.replace(/^evt/, 'cmd')) ?? [];
    const bySequence = new Map(logged.map((one) => [one.sequence, one]));
    for (const generation of own) checkGeneration(generation, bySequence, report);
  }
};

function checkGeneration(
  { subject, number, entries }: Generation,
  bySequence: ReadonlyMap<number, LoggedAppend>,
  report: (what: string) => void,
): void {
  /** By KV id. */
  const asked = new Map<number, string>();
  const data = new Map<string, Uint8Array>();
  const confirmed = new Set<string>();
  for (const { entry } of entries) {
    for (const { kind } of entry.items) {
      if (kind.case === 'command') {
        const append = bySequence.get(Number(kind.value.sequence))?.append;
        if (append) heard(fromBinary(agent.AgentClientMessageSchema, append.message), asked, confirmed);
      }
      if (kind.case !== 'frame' || (kind.value[0] ?? 0) & 2) continue;
      const { message } = fromBinary(agent.AgentServerMessageSchema, kind.value.subarray(5));
      if (message.case === 'kvServerMessage' && message.value.message.case === 'setBlobArgs') {
        const { blobId, blobData } = message.value.message.value;
        if (createHash('sha256').update(blobData).digest('hex') !== encodeHex(blobId))
          report(`${subject}: a blob's id is not its hash`);
        asked.set(message.value.id, encodeHex(blobId));
        data.set(encodeHex(blobId), blobData);
      } else if (message.case === 'conversationCheckpointUpdate') {
        for (const id of referencesOf(message.value, data)) {
          // What the client brought itself is not asked for again.
          if (confirmed.has(id) || !data.has(id)) continue;
          report(
            `${subject} generation ${number}: a checkpoint refers to ${id.slice(0, 12)} before it is confirmed`,
          );
        }
      }
    }
  }
}

function heard(
  { message }: agent.AgentClientMessage,
  asked: ReadonlyMap<number, string>,
  confirmed: Set<string>,
): void {
  if (message.case !== 'kvClientMessage') return;
  const { id, message: answer } = message.value;
  const blob = asked.get(id);
  if (answer.case === 'setBlobResult' && !answer.value.error && blob) confirmed.add(blob);
}
