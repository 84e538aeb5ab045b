import { Blobs } from './answers.ts';

/** Something that was carried out and can't be undone. */
export interface Effect {
  /** Of the call that it was done for (model/tool-plan.ts). */
  readonly name: string;
  /** The attempt that was asked. */
  readonly requestId: string;
  /** Ms of the run. */
  readonly at: number;
}

/** A user's machine: the blobs of its conversations, its files, and what was done on it. */
export class Machine {
  readonly blobs = new Blobs();
  readonly files = new Map<string, string>();
  readonly effects: Effect[] = [];
}
