/**
 * Cuts a message into pieces that one record each can hold. They share the message's memory.
 * @param maxRecordBytes the log's limit, at least 1
 * @returns at least one piece; an empty message is one empty piece
 */
export function splitMessage(payload: Uint8Array, maxRecordBytes: number): Uint8Array[] {
  if (payload.length <= maxRecordBytes) return [payload];
  const parts: Uint8Array[] = [];
  for (let start = 0; start < payload.length; start += maxRecordBytes) {
    parts.push(payload.subarray(start, start + maxRecordBytes));
  }
  return parts;
}
