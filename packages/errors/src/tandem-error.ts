import { Code, ConnectError } from '@connectrpc/connect';
import type { ConnectCode } from './connect-code.ts';
import { type ErrorReason, REASONS, type ReasonRow } from './reasons.ts';

/** Registered, so that two copies of this package in one process know each other's errors. */
const MARK = Symbol.for('tandem.error');

/** What may be said of one fault beyond its reason. */
export interface TandemErrorOptions {
  /** For logs only: what happened, with ids, but without secrets or contents. Clients never get it. */
  message?: string;
  /** Shown to the user instead of the reason's title. */
  title?: string;
  /** Shown to the user instead of the reason's detail: never contents, secrets or another error's text. */
  detail?: string;
  /** For logs only. Clients never get it. */
  cause?: unknown;
  /** When a retry makes sense at the earliest, in milliseconds from now. */
  retryAfterMs?: number;
}

/**
 * The base of all errors. The reason decides everything that a client is told; `message`, `cause` and `stack` are for
 * logs. Subclasses are welcome where code has to tell errors apart by more than their reason.
 */
export class TandemError extends Error {
  override name = 'TandemError';
  /** Stable and bounded, for metrics. */
  readonly reason: ErrorReason;
  /** The Connect code on the wire. */
  readonly code: ConnectCode;
  /** Whether a client's own retry may help. */
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  /** For a person: what happened. */
  readonly title: string;
  /** For a person: what to do about it; may be empty. */
  readonly detail: string;

  constructor(reason: ErrorReason, options: TandemErrorOptions = {}) {
    const { code, retryable, title, detail }: ReasonRow = REASONS[reason];
    const shownTitle = options.title ?? title;
    const shownDetail = options.detail ?? detail;
    super(
      options.message ?? joinText(shownTitle, shownDetail),
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.reason = reason;
    this.code = code;
    this.retryable = retryable;
    this.retryAfterMs = options.retryAfterMs;
    this.title = shownTitle;
    this.detail = shownDetail;
    Object.defineProperty(this, MARK, { value: true });
  }

  /** The one text that a client shows. */
  get publicMessage(): string {
    return joinText(this.title, this.detail);
  }

  /** Whether a value is a TandemError, of whichever copy of this package. */
  static isInstance(value: unknown): value is TandemError {
    return typeof value === 'object' && value !== null && MARK in value;
  }

  /**
   * Makes a TandemError of whatever was thrown: itself, the reason that a ConnectError's code stands for, else
   * `internal`. What was thrown becomes the cause, and none of its text reaches a client.
   *
   * An abort is `internal` as any unexpected error: abort signals with a TandemError as reason, to see that instead.
   */
  static from(thrown: unknown): TandemError {
    if (TandemError.isInstance(thrown)) return thrown;
    const message = 'unexpected error';
    if (!(thrown instanceof ConnectError)) return new TandemError('internal', { cause: thrown, message });
    return new TandemError(reasonOfCode(thrown.code), { cause: thrown, message: 'error of an RPC' });
  }
}

function joinText(title: string, detail: string): string {
  return [title, detail].filter(Boolean).join(' ');
}

/** What connect's own faults (undecodable bodies, unknown methods, limits) are called here. */
function reasonOfCode(code: Code): ErrorReason {
  switch (code) {
    case Code.InvalidArgument:
    case Code.OutOfRange:
      return 'bad_request';
    case Code.ResourceExhausted:
      return 'message_too_large';
    case Code.Unimplemented:
      return 'unsupported';
    case Code.Unauthenticated:
      return 'bad_key';
    case Code.PermissionDenied:
      return 'permission';
    case Code.Unavailable:
      return 'cluster_unavailable';
    case Code.Canceled:
      return 'client_gone';
    default:
      return 'internal';
  }
}
