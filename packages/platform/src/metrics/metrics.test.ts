import { expect, test } from 'vitest';
import { createMetrics } from './metrics.ts';

const metrics = () => createMetrics({ service: 'test', processMetrics: false });

test('labels are bounded: what was not declared is "other"', async () => {
  const all = metrics();
  const turns = all.counter({ name: 'turns_total', help: 'Turns.', labels: { outcome: ['ok', 'error'] } });
  turns.inc({ outcome: 'ok' });
  turns.inc({ outcome: 'ok' }, 2);
  turns.inc({ outcome: 'a user id' });
  turns.inc({ outcome: 'constructor' });
  const text = await all.text();
  expect(text).toContain('tandem_turns_total{outcome="ok",service="test"} 3');
  expect(text).toContain('tandem_turns_total{outcome="other",service="test"} 2');
  expect(text).not.toContain('a user id');
});

test('gauges go both ways and can be asked when read', async () => {
  const all = metrics();
  const open = all.gauge({ name: 'streams', help: 'Open streams.' });
  open.set({}, 5);
  open.inc({});
  open.dec({}, 2);
  let asked = 0;
  all.gauge({ name: 'asked', help: 'Asked.', collect: (gauge) => gauge.set({}, ++asked) });
  const text = await all.text();
  expect(text).toContain('tandem_streams{service="test"} 4');
  expect(text).toContain('tandem_asked{service="test"} 1');
});

test('histograms fill their buckets', async () => {
  const all = metrics();
  const seconds = all.histogram({
    name: 'wait_seconds',
    help: 'Wait.',
    labels: { for: ['a'] },
    buckets: [0.1, 1],
  });
  seconds.observe({ for: 'a' }, 0.5);
  const text = await all.text();
  expect(text).toMatch(/tandem_wait_seconds_bucket\{le="0.1",.*\} 0/);
  expect(text).toMatch(/tandem_wait_seconds_bucket\{le="1",.*\} 1/);
});

test('the process is measured, its event loop too, and services do not mix', async () => {
  const all = createMetrics({ service: 'one' });
  const text = await all.text();
  expect(text).toContain('nodejs_eventloop_lag_p99_seconds{service="one"}');
  expect(all.contentType).toContain('text/plain');
  expect(await metrics().text()).not.toContain('nodejs_');
});

test('a counter with few series shows them all from the start, one with many none', async () => {
  const metrics = createMetrics({ service: 'test', processMetrics: false });
  metrics.counter({ name: 'few_total', help: 'h', labels: { a: ['x', 'y'], b: ['1', '2'] } });
  const many = Array.from({ length: 161 }, (_, index) => String(index));
  metrics.counter({ name: 'many_total', help: 'h', labels: { a: many } });
  const text = await metrics.text();
  expect(text.match(/^tandem_few_total\{.*\} 0$/gm)).toHaveLength(4);
  expect(text).not.toMatch(/^tandem_many_total\{/m);
});
