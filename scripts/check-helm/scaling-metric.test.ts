import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../toolchain.mjs';

const template = readFileSync(join(root, 'deploy/helm/tandem/templates/_autoscaling.tpl'), 'utf8');
const metrics = [...new Set([...template.matchAll(/"tandem_(\w+)"/g)].map(([, name]) => name ?? ''))];
const sources = globSync('services/*/src/metrics/*.ts', { cwd: root }).map((path) =>
  readFileSync(join(root, path), 'utf8'),
);

test('the chart scales by gauges', () => {
  expect(metrics).toHaveLength(2);
});

test.each(metrics)('a service exports %s', (name) => {
  expect(sources.some((source) => source.includes(`name: '${name}'`))).toBe(true);
});
