import { context, trace } from '@opentelemetry/api';
import { InMemorySpanExporter } from '@opentelemetry/sdk-trace';
import { afterEach, expect, test } from 'vitest';
import { extractTrace, injectTrace, traceIdOf } from './propagation.ts';
import { startTracing, type Tracing } from './start-tracing.ts';

let tracing: Tracing | undefined;
afterEach(async () => {
  await tracing?.shutdown();
  tracing = undefined;
});

/** Keeps what was exported through the shutdown, which clears the exporter. */
class KeepingExporter extends InMemorySpanExporter {
  names: string[] = [];
  override async shutdown(): Promise<void> {
    this.names = this.getFinishedSpans().map(({ name }) => name);
    await super.shutdown();
  }
}

const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

test('off: spans are free and nothing is sent along', async () => {
  tracing = await startTracing({ service: 'test', enabled: false });
  const span = tracing.tracer.startSpan('x');
  expect(span.isRecording()).toBe(false);
  expect(injectTrace(trace.setSpan(context.active(), span))).toEqual({});
  expect(traceIdOf(extractTrace({ traceparent: PARENT }))).toBeUndefined();
  span.end();
});

test('on: a trace goes on from one service to the next, and what was recorded is sent at the end', async () => {
  const exporter = new KeepingExporter();
  tracing = await startTracing({ service: 'test', enabled: true, exporter });
  const received = extractTrace({ traceparent: PARENT });
  expect(traceIdOf(received)).toBe('0af7651916cd43dd8448eb211c80319c');
  const span = tracing.tracer.startSpan('append', {}, received);
  const sent = injectTrace(trace.setSpan(received, span));
  expect(sent.traceparent).toMatch(
    /^00-0af7651916cd43dd8448eb211c80319c-(?!b7ad6b7169203331)[0-9a-f]{16}-01$/,
  );
  span.end();
  await tracing.shutdown();
  expect(exporter.names).toEqual(['append']);
});

test('on: the share that is kept counts where no sender has decided', async () => {
  tracing = await startTracing({
    service: 'test',
    enabled: true,
    sampleRatio: 0,
    exporter: new KeepingExporter(),
  });
  expect(tracing.tracer.startSpan('root').isRecording()).toBe(false);
  expect(tracing.tracer.startSpan('child', {}, extractTrace({ traceparent: PARENT })).isRecording()).toBe(
    true,
  );
});

test('on: headers that are malformed or absent are no trace', async () => {
  tracing = await startTracing({ service: 'test', enabled: true, exporter: new KeepingExporter() });
  for (const traceparent of ['', 'x', '00-0-0-01', undefined]) {
    expect(traceIdOf(extractTrace({ traceparent }))).toBeUndefined();
  }
});
