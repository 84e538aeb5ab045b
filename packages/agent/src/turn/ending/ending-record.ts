import { create } from '@bufbuild/protobuf';
import { ERROR_REASONS, type ErrorReason, TandemError } from '@tandem/errors';
import { tandem } from '@tandem/proto';

const REASONS: ReadonlySet<string> = new Set(ERROR_REASONS);

/** How the turn's end is remembered until what it has is safe with the client. */
export function endingRecord(end: tandem.TurnEnd, error: TandemError | undefined): tandem.TurnEnding {
  return create(tandem.TurnEndingSchema, {
    end,
    reason: error?.reason ?? '',
    title: error?.title ?? '',
    detail: error?.detail ?? '',
  });
}

/** The error that a turn ends with. */
export function errorOf({ reason, title, detail }: tandem.TurnEnding): TandemError | undefined {
  if (!reason) return undefined;
  const known = REASONS.has(reason) ? (reason as ErrorReason) : 'internal';
  return new TandemError(known, { title, detail });
}

/** For a message or an action that this server does not handle; the client is told what it was. */
export function unsupported(what: string): TandemError {
  return new TandemError('unsupported', { detail: `It was asked for: ${what}.` });
}
