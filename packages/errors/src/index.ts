export { CONNECT_CODES, type ConnectCode, connectCodeToHttp } from './connect-code.ts';
export { ERROR_REASONS, type ErrorReason, REASONS, type ReasonRow } from './reasons.ts';
export { Backoff, type BackoffOptions, backoffMs, type Pace } from './retry/backoff.ts';
export { type Clock, type Pause, pause, sleep, type Timer } from './retry/clock.ts';
export { type RetryOptions, retry } from './retry/retry.ts';
export { TandemError, type TandemErrorOptions } from './tandem-error.ts';
export {
  type ConnectErrorJson,
  retryAfterSeconds,
  type StreamError,
  toConnectError,
  toConnectErrorJson,
  toEndStreamError,
  toErrorDetails,
} from './wire.ts';
