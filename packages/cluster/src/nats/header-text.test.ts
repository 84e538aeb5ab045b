import type { Msg } from '@nats-io/transport-node';
import { expect, test } from 'vitest';
import { headerText, headerValue } from './header-text.ts';

const HEAD = 'NATS/1.0\r\nTandem-Part: 1.2 0 1\r\nNats-Sequence: 12\r\nNats-Last-Sequence:9\r\n\r\n';

/** A message as nats.js hands it on: a view into what came from the socket, its headers right before it. */
function message(head: string, payload: string, before = 'HMSG live.a 1 80 90\r\n'): Msg {
  const bytes = Buffer.from(before + head + payload, 'latin1');
  const data = bytes.subarray(before.length + head.length);
  const subject = 'live.a';
  const size = () => subject.length + head.length + payload.length;
  return { subject, data, size } as Partial<Msg> as Msg;
}

test.each(['payload', ''])('finds the headers before the payload "%s"', (payload) => {
  const text = headerText(message(HEAD, payload));
  expect(text).toBe(HEAD);
  expect(headerValue(HEAD, 'Tandem-Part')).toBe('1.2 0 1');
  expect(headerValue(HEAD, 'Nats-Sequence')).toBe('12');
  expect(headerValue(HEAD, 'Nats-Last-Sequence')).toBe('9');
  expect(headerValue(HEAD, 'Last-Sequence')).toBeUndefined();
});

test('finds none where there are none, or something else', () => {
  expect(headerText(message('', 'payload'))).toBeUndefined();
  expect(headerText(message('no headers of NATS\r\n\r\n', 'payload'))).toBeUndefined();
  const alone = { subject: 'a', data: new Uint8Array(3) } as Partial<Msg> as Msg;
  expect(headerText(alone)).toBeUndefined();
  expect(headerText(Object.assign(alone, { size: () => 100 }))).toBeUndefined();
});
