import { expect, test } from 'vitest';
import { describe, readValues } from './described.ts';
import { bool, group, integer } from './shapes.ts';

const YAML = `
nats:
  # -- Nodes,
  # of the cluster.
  replicas: 3
  storage:
    # -- Whether.
    enabled: true
# -- Labels.
labels: {a: b}
`;

test('values are read with their comments, maps of values whole', () => {
  expect(readValues(YAML)).toEqual([
    { path: 'nats.replicas', default: 3, description: 'Nodes, of the cluster.' },
    { path: 'nats.storage.enabled', default: true, description: 'Whether.' },
    { path: 'labels', default: { a: 'b' }, description: 'Labels.' },
  ]);
});

test('a value without a comment is refused', () => {
  expect(() => readValues('a: {}')).toThrow('a has no description');
});

test('schema and values have to name the same', () => {
  const values = readValues(YAML);
  const nats = group({ replicas: integer(1, 3), storage: group({ enabled: bool }) });
  expect(describe(group({ nats, labels: { type: 'object' } }), values)).toMatchObject({
    properties: {
      nats: { properties: { replicas: { description: 'Nodes, of the cluster.', default: 3, maximum: 3 } } },
    },
  });
  expect(() => describe(group({ nats }), values)).toThrow('labels is not in the schema');
  expect(() => describe(group({ nats, labels: bool, more: bool }), values)).toThrow(
    'more is not in values.yaml',
  );
});
