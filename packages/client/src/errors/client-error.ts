/** What went wrong between this client and a server. Subclasses say where; texts never hold keys or contents. */
export abstract class ClientError extends Error {
  /** A Connect code, such as `unavailable`. */
  abstract readonly code: string;
  /** Whether sending the same request again by itself may help. */
  abstract readonly retryable: boolean;
}

/**
 * How a connection failed:
 * - `unreachable`: no connection, or it broke before an answer came
 * - `cut`: the connection broke in the middle of an answer
 * - `no_end`: the answer ended without saying so (EndStream)
 * - `no_turn_ended`: the stream ended well, but the turn had not
 * - `stalled`: nothing came for too long
 * - `malformed`: what came is not what the protocol says
 */
export type ConnectionFault = 'unreachable' | 'cut' | 'no_end' | 'no_turn_ended' | 'stalled' | 'malformed';

/** The connection failed, or what came over it made no sense; the server said nothing about why. */
export class ConnectionError extends ClientError {
  override readonly name = 'ConnectionError';
  readonly code = 'unavailable';
  readonly retryable = true;
  readonly fault: ConnectionFault;

  constructor(fault: ConnectionFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}
