/** Bytes before each payload: one of flags, four of length (big endian). Connect protocol, "Streaming RPCs". */
export const ENVELOPE_HEADER_BYTES = 5;

/** The payload is compressed, with the encoding that the stream's headers name; here always gzip. */
export const FLAG_COMPRESSED = 0x01;

/** The payload is the JSON that ends a stream of a server; nothing may follow. */
export const FLAG_END_STREAM = 0x02;

/** All flags that the Connect protocol defines. */
export const KNOWN_FLAGS = FLAG_COMPRESSED | FLAG_END_STREAM;
