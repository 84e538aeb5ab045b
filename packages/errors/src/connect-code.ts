/**
 * The codes of the Connect protocol, in the order of their numbers (1 to 16, as in gRPC).
 * Connect protocol, "Error Codes".
 */
export const CONNECT_CODES = [
  'canceled',
  'unknown',
  'invalid_argument',
  'deadline_exceeded',
  'not_found',
  'already_exists',
  'permission_denied',
  'resource_exhausted',
  'failed_precondition',
  'aborted',
  'out_of_range',
  'unimplemented',
  'internal',
  'unavailable',
  'data_loss',
  'unauthenticated',
] as const;

/** A code of the Connect protocol, as it stands on the wire. */
export type ConnectCode = (typeof CONNECT_CODES)[number];

const HTTP_STATUS: Record<ConnectCode, number> = {
  canceled: 499,
  unknown: 500,
  invalid_argument: 400,
  deadline_exceeded: 504,
  not_found: 404,
  already_exists: 409,
  permission_denied: 403,
  resource_exhausted: 429,
  failed_precondition: 400,
  aborted: 409,
  out_of_range: 400,
  unimplemented: 501,
  internal: 500,
  unavailable: 503,
  data_loss: 500,
  unauthenticated: 401,
};

/** The HTTP status of a unary answer with this code. Connect protocol, "Error Codes". */
export function connectCodeToHttp(code: ConnectCode): number {
  return HTTP_STATUS[code];
}
