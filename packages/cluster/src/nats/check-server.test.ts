import { LogConflict, LogUnavailable, systemClock } from '@tandem/actor-core';
import { MemoryLog } from '@tandem/actor-core/memory';
import { expect, test } from 'vitest';
import { ClusterUnsuitable } from '../cluster-errors.ts';
import { CLUSTER_DEFAULTS } from '../config.ts';
import { checkFencing, checkVersion, versionAtLeast } from './check-server.ts';

const config = { ...CLUSTER_DEFAULTS, servers: [] };

test.each([
  ['2.10.27', '2.10.27', true],
  ['2.10.9', '2.10.27', false],
  ['2.15.0-RC.1', '2.15.0', true],
  ['3.0.0', '2.15.3', true],
  ['2.9.25', '2.10.0', false],
  ['', '2.9.0', false],
])('%s is at least %s: %s', (version, minimum, expected) => {
  expect(versionAtLeast(version, minimum)).toBe(expected);
});

test('replicas need a server that fences', () => {
  expect(() => checkVersion('2.10.26', { ...config, replicas: 3 })).toThrow(ClusterUnsuitable);
  expect(checkVersion('2.10.27', { ...config, replicas: 3 })).toHaveLength(1);
  expect(checkVersion('2.15.3', { ...config, replicas: 3 })).toEqual([]);
});

test('one replica works on older servers, with advice', () => {
  expect(checkVersion('2.9.10', config)).toHaveLength(2);
  expect(() => checkVersion('2.8.4', config)).toThrow(ClusterUnsuitable);
});

test('a log that fences passes, and keeps nothing of it', async () => {
  const log = new MemoryLog({ clock: systemClock });
  await checkFencing(log, 'id');
  expect(log.subjects()).toEqual([]);
});

test('a log that lets two writers win does not pass', async () => {
  const log = new MemoryLog({ clock: systemClock });
  const append = log.append.bind(log);
  log.append = (subject, part, payload) => append(subject, part, payload);
  await expect(checkFencing(log, 'id')).rejects.toThrow(ClusterUnsuitable);
});

test('a log that accepts nobody, or does not answer, does not pass', async () => {
  const log = new MemoryLog({ clock: systemClock });
  log.append = async () => {
    throw new LogConflict();
  };
  await expect(checkFencing(log, 'id')).rejects.toThrow(ClusterUnsuitable);
  log.append = async () => {
    throw new LogUnavailable();
  };
  await expect(checkFencing(log, 'id')).rejects.toThrow(LogUnavailable);
});
