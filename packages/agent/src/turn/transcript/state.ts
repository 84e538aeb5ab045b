import type { ModelMessage } from '../../model/message.ts';

/** What the conversation has become by this turn. */
export interface TranscriptState {
  /** Messages of the transcript beyond the restored ones. */
  readonly appended: readonly TranscriptEntry[];
  readonly turn: OpenTurn | undefined;
  /** The structures of turns that this turn has begun and gone on from. */
  readonly formerTurns: readonly Uint8Array[];
  readonly checkpointDue: boolean;
  readonly step: { readonly count: number; readonly open: boolean; readonly startedAt: number };
}

interface TranscriptEntry {
  readonly id: Uint8Array;
  readonly message: ModelMessage;
}

/** The turn's structure, as clients keep it. */
interface OpenTurn {
  /** Blob ids. */
  readonly userMessage: Uint8Array;
  readonly steps: readonly Uint8Array[];
  readonly userMessageId: string;
  readonly replacedTurns: number;
  readonly startedAt: number;
  /** The last structure written. */
  readonly written: Uint8Array | undefined;
  readonly draftMessage: Uint8Array | undefined;
}

export const TRANSCRIPT: TranscriptState = {
  appended: [],
  turn: undefined,
  formerTurns: [],
  checkpointDue: false,
  step: { count: 0, open: false, startedAt: 0 },
};
