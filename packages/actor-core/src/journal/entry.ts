import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { TandemError, toEndStreamError } from '@tandem/errors';
import {
  agent,
  ENVELOPE_HEADER_BYTES,
  encodeEndStream,
  encodeEnvelope,
  FLAG_END_STREAM,
  tandem,
} from '@tandem/proto';
import type { HistoryItem, NewItem, Position } from '../actor/logic.ts';

const OUTCOMES = {
  completed: tandem.Outcome.COMPLETED,
  failed: tandem.Outcome.FAILED,
  canceled: tandem.Outcome.CANCELED,
} as const;

const OUTCOME_NAMES = {
  [tandem.Outcome.UNSPECIFIED]: 'failed',
  [tandem.Outcome.COMPLETED]: 'completed',
  [tandem.Outcome.FAILED]: 'failed',
  [tandem.Outcome.CANCELED]: 'canceled',
} as const;

/** What the terminal entry says of the command log. */
export interface Consumption {
  readonly consumedSequence: number;
  readonly scanSequence: number;
}

/** A frame item, ready to be copied to clients. */
export function frameItem(message: agent.AgentServerMessage): tandem.Item {
  const frame = encodeEnvelope(toBinary(agent.AgentServerMessageSchema, message));
  return create(tandem.ItemSchema, { kind: { case: 'frame', value: frame } });
}

/** The stored form of a decided item; `end` becomes two: the EndStream that clients get and the terminal record. */
export function encodeItem(
  item: Exclude<NewItem<never>, { kind: 'local' }>,
  consumption: () => Consumption,
): tandem.Item[] {
  switch (item.kind) {
    case 'frame':
      return [frameItem(item.message)];
    case 'record':
      return [create(tandem.ItemSchema, { kind: { case: 'record', value: item.record } })];
    case 'attempt':
      return [attemptItem(item)];
    case 'end':
      return endItems(item.outcome, item.error, consumption());
  }
}

function attemptItem({
  requestId,
  start,
  withheld,
}: Extract<NewItem<never>, { kind: 'attempt' }>): tandem.Item {
  const value = create(tandem.AttemptSchema, {
    requestId,
    start: start && encodePosition(start),
    withheld: withheld?.map(encodePosition),
  });
  return create(tandem.ItemSchema, { kind: { case: 'attempt', value } });
}

function encodePosition({ entry, item }: Position): tandem.Position {
  return create(tandem.PositionSchema, { entry: BigInt(entry), item });
}

/** A place as the turn's logic has it. */
function decodePosition({ entry, item }: tandem.Position): Position {
  return { entry: Number(entry), item };
}

/** The EndStream frame and the terminal record of a generation. */
export function endItems(
  outcome: keyof typeof OUTCOMES,
  error: TandemError | undefined,
  consumption: Consumption,
): tandem.Item[] {
  const frame = encodeEndStream(error ? { error: toEndStreamError(error) } : {});
  return [
    create(tandem.ItemSchema, { kind: { case: 'frame', value: frame } }),
    endedItem(OUTCOMES[outcome], error?.reason ?? '', consumption),
  ];
}

/** A terminal record on its own: an attempt at an ended generation moves what is consumed. */
export function endedItem(outcome: tandem.Outcome, reason: string, consumption: Consumption): tandem.Item {
  const value = create(tandem.EndedSchema, {
    consumedSequence: BigInt(consumption.consumedSequence),
    scanSequence: BigInt(consumption.scanSequence),
    outcome,
    reason,
  });
  return create(tandem.ItemSchema, { kind: { case: 'ended', value } });
}

/** Decodes an entry's payload. @throws TandemError internal when the bytes are none */
export function decodeEntry(payload: Uint8Array): tandem.Entry {
  try {
    return fromBinary(tandem.EntrySchema, payload);
  } catch (cause) {
    throw new TandemError('internal', { message: 'journal entry cannot be decoded', cause });
  }
}

/** Whether a stored frame is the EndStream. */
export function isEndStream(frame: Uint8Array): boolean {
  return ((frame[0] ?? 0) & FLAG_END_STREAM) !== 0;
}

/** What a stored item is to a turn's logic, or undefined for those that are the runtime's own. */
export function historyOf(item: tandem.Item): HistoryItem<never> | undefined {
  switch (item.kind.case) {
    case 'frame': {
      if (isEndStream(item.kind.value)) return undefined;
      const message = fromBinary(
        agent.AgentServerMessageSchema,
        item.kind.value.subarray(ENVELOPE_HEADER_BYTES),
      );
      return { kind: 'frame', message };
    }
    case 'record':
      return { kind: 'record', record: item.kind.value };
    case 'attempt': {
      const { requestId, start, withheld } = item.kind.value;
      return {
        kind: 'attempt',
        requestId,
        start: start && decodePosition(start),
        withheld: withheld.map(decodePosition),
      };
    }
    case 'ended':
      return { kind: 'end', outcome: OUTCOME_NAMES[item.kind.value.outcome] };
    default:
      return undefined;
  }
}

/** What a worker writes first when it acquires an epoch; `opened` when the turn begins with it. */
export function ownerItems(
  owner: MessageInitShape<typeof tandem.OwnerSchema>,
  opened?: MessageInitShape<typeof tandem.OpenedSchema>,
): tandem.Item[] {
  const items = [
    create(tandem.ItemSchema, { kind: { case: 'owner', value: create(tandem.OwnerSchema, owner) } }),
  ];
  if (!opened) return items;
  const value = create(tandem.OpenedSchema, opened);
  return [create(tandem.ItemSchema, { kind: { case: 'opened', value } }), ...items];
}

/**
 * Names the set of a journal entry: `<epoch>.<number>`, and the writer's id.
 * @param writerId unique to the writer: of two that acquire the same epoch at once, neither may take the other's record for its own
 */
export function journalSet(epoch: number, number: number, writerId?: string): string {
  return writerId === undefined ? `${epoch}.${number}` : `${epoch}.${number}.${writerId}`;
}

/** A journal entry of a newer owner voids what an older one left unfinished. */
export function higherEpochVoids(set: string, open: string): boolean {
  return epochOfSet(set) > epochOfSet(open);
}

/** The epoch in an entry's name. */
export function epochOfSet(set: string): number {
  return Number.parseInt(set, 10);
}
