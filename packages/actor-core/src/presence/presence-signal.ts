import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { tandem } from '@tandem/proto';

/** Reads a gateway's announcement. @throws Error when the bytes are none: only gateways publish there */
export function readPresence(payload: Uint8Array): tandem.Presence {
  return fromBinary(tandem.PresenceSchema, payload);
}

/** A gateway's announcement of a reader, or of its leaving. */
export function encodePresence(reader: {
  readerId: string;
  requestId: string;
  leaving: boolean;
}): Uint8Array {
  return toBinary(tandem.PresenceSchema, create(tandem.PresenceSchema, reader));
}
