import { TandemError } from '@tandem/errors';

/** The expectation of a conditional append did not hold; nothing was stored by that call. */
export class LogConflict extends TandemError {
  override readonly name = 'LogConflict';
  constructor(cause?: unknown) {
    super('internal', { message: 'the log moved on', cause });
  }
}

/** Whether the call had an effect is unknown. */
export class LogUnavailable extends TandemError {
  override readonly name = 'LogUnavailable';
  constructor(cause?: unknown) {
    super('cluster_unavailable', { message: 'the log did not answer', cause });
  }
}

/** The store has no room; nothing was stored. */
export class LogFull extends TandemError {
  override readonly name = 'LogFull';
  constructor(cause?: unknown) {
    super('storage_full', { message: 'the log is full', cause });
  }
}

/** Whether the log may take later what it did not take now. */
export function mayPass(error: unknown): boolean {
  return error instanceof LogUnavailable || error instanceof LogFull;
}
