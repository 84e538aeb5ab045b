import { LogUnavailable } from '@tandem/actor-core';
import { expect, test } from 'vitest';
import { leaderRecord } from './leader-answer.ts';

const answer = (value: unknown) => Buffer.from(JSON.stringify(value));
const base64 = (text: string) => Buffer.from(text).toString('base64');
const failure = (code: number, err_code: number) => answer({ error: { code, err_code, description: 'why' } });

test('a record has its place, time, part and payload', () => {
  const hdrs = base64('NATS/1.0\r\nTandem-Part: 1.2 0 2\r\n\r\n');
  const message = { subject: 'a', seq: 7, time: '2031-05-01T18:30:00.123456789Z', hdrs, data: base64('hä') };
  expect(leaderRecord(answer({ message }))).toEqual({
    sequence: 7,
    previous: undefined,
    time: Date.parse('2031-05-01T18:30:00.123Z'),
    part: { set: '1.2', index: 0, count: 2 },
    payload: Buffer.from('hä'),
  });
});

test('a record may have neither headers nor payload', () => {
  const message = { subject: 'a', seq: 7, time: '2031-05-01T18:30:00Z' };
  expect(leaderRecord(answer({ message }))).toMatchObject({
    part: { set: '?7', index: 0, count: 1 },
    payload: Buffer.alloc(0),
  });
});

test('a subject without records has none; a stream that is not there, and what is no answer, say nothing', () => {
  expect(leaderRecord(failure(404, 10037))).toBeUndefined();
  for (const bytes of [failure(404, 10059), failure(503, 10008), answer({}), Buffer.from('?')]) {
    expect(() => leaderRecord(bytes)).toThrow(LogUnavailable);
  }
});
