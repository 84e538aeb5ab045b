import type { Msg } from '@nats-io/transport-node';

const FIRST_LINE = 'NATS/1.0';

/** What nats.js's messages tell beside what their type says: bytes of subject, reply, headers and payload together. */
type Sized = Msg & { size?(): number };

/**
 * A message's header block as text. nats.js decodes a block into a map of lists, which takes longer than all else that is
 * done with a record; the block itself stands right before the payload, in the same memory.
 * @returns undefined when there is none, or it is not where it is expected
 */
export function headerText(message: Sized): string | undefined {
  const { data } = message;
  const bytes = (message.size?.() ?? 0) - message.subject.length - data.length;
  if (bytes <= FIRST_LINE.length || bytes > data.byteOffset) return undefined;
  const text = Buffer.from(data.buffer, data.byteOffset - bytes, bytes).toString('latin1');
  return text.startsWith(FIRST_LINE) && text.endsWith('\r\n\r\n') ? text : undefined;
}

/** The value of a header in such a block; names are written as who set them wrote them. */
export function headerValue(text: string, name: string): string | undefined {
  const start = text.indexOf(`\r\n${name}:`);
  if (start < 0) return undefined;
  const from = start + name.length + 3;
  return text.slice(from, text.indexOf('\r\n', from)).trim();
}
