import { commandSubject, conversationSubject, journalSubject, TOKENS, turnKey } from '@tandem/actor-core';
import { describe, expect, it, test } from 'vitest';
import { CLUSTER_DEFAULTS } from '../config.ts';
import { planStreams, streamConfig } from './stream-plan.ts';

describe.each([1, 2, 3, 5, 64])('%i pairs', (pairs) => {
  const plan = planStreams(pairs);

  it('cover each token once', () => {
    const subjects = plan.streams.flatMap((stream) => stream.subjects);
    expect(new Set(subjects).size).toBe(subjects.length);
    expect(subjects).toHaveLength(3 * TOKENS);
    expect(plan.streams).toHaveLength(2 * pairs);
  });

  it('find the stream of every subject', () => {
    for (let number = 0; number < 100; number++) {
      const key = turnKey('owner', `turn-${number}`);
      for (const subject of [commandSubject(key), journalSubject(key), conversationSubject(key.owner, 'c')]) {
        const name = plan.streamOf(subject);
        const [kind, token] = subject.split('.');
        expect(plan.streams.find((stream) => stream.name === name)?.subjects).toContain(`${kind}.${token}.>`);
        expect(name).toMatch(kind === 'evt' ? /^TANDEM_EVT_/ : /^TANDEM_CMD_/);
      }
    }
    expect(plan.streamOf('live.cmd.0.a.b')).toBeUndefined();
  });
});

test('other numbers of pairs are refused', () => {
  for (const pairs of [0, 65, 1.5, -1]) expect(() => planStreams(pairs)).toThrow(RangeError);
});

test('old servers are not asked for what they do not have', () => {
  const stream = { name: 'TANDEM_EVT_0', subjects: ['evt.0.>'] };
  const config = { ...CLUSTER_DEFAULTS, servers: [], maxAgeMs: 1000 };
  const modern = streamConfig(stream, config, '2.15.3');
  expect(modern).toMatchObject({ compression: 's2', discard: 'new', max_age: 1e9, allow_direct: true });
  const old = streamConfig(stream, config, '2.9.10');
  expect(old).not.toHaveProperty('compression');
  expect(old).not.toHaveProperty('metadata');
});
