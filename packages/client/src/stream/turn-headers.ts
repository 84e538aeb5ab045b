/** What names one attempt at a turn, on both channels. */
export interface TurnNames {
  /** Names this stream; a retry needs a new one. */
  readonly requestId: string;
  /** The request id of the turn's first attempt; the same in all of them. */
  readonly originalRequestId: string;
  /** 64 hex digits: encrypts what the server may cache of the conversation. */
  readonly encryptionKey?: string;
}

/** The headers that both channels of an attempt carry. */
export function turnHeaders(token: string, names: TurnNames): Record<string, string> {
  return {
    authorization: `Bearer ${token}`,
    'connect-protocol-version': '1',
    'x-request-id': names.requestId,
    'x-original-request-id': names.originalRequestId,
    ...(names.encryptionKey === undefined ? {} : { 'x-blob-encryption-key': names.encryptionKey }),
  };
}
