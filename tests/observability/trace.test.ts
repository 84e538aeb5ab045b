import { createClient } from '@tandem/client';
import { readMetric, until } from '@tandem/test-support/cluster';
import { afterEach, expect, test } from 'vitest';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from './otlp/receiver.ts';
import { startWatchedSystem, type WatchedSystem } from './system.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';
/** What users, models and files say, and what opens doors: none of it may be seen from outside. */
const PLANTED = {
  prompt: 'the-prompt-of-a-user-4711',
  answer: 'the-answer-of-a-model-4712',
  file: 'the-contents-of-a-file-4713',
  path: 'the-path-of-a-file-4714',
  blobKey: '4715'.repeat(16),
  providerKey: 'provider-key-4716',
};

let receiver: OtlpReceiver;
let system: WatchedSystem;

afterEach(async () => {
  await system?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
});

async function start(env: Record<string, string> = {}, workers = 1) {
  receiver = await startOtlpReceiver();
  system = await startWatchedSystem({
    workers,
    env: {
      TANDEM_TRACING: 'true',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: receiver.url,
      TANDEM_LOG_LEVEL: 'trace',
      OPENAI_API_KEY: PLANTED.providerKey,
      ...env,
    },
  });
}

/** A turn that reads a file, held by a client that has a trace of its own. */
async function holdTurn() {
  const client = createClient({
    baseUrl: system.proxy.url,
    apiKey: system.cluster.apiKey,
    headers: { traceparent: `00-${TRACE}-${CALLER}-01` },
    handlers: {
      readArgs: ({ path }) => ({
        case: 'readResult',
        value: {
          result: {
            case: 'success',
            value: { path, output: { case: 'content', value: PLANTED.file }, totalLines: 1 },
          },
        },
      }),
    },
  });
  try {
    return await client.runTurn({
      text: PLANTED.prompt,
      conversationId: 'c1',
      modelId: 'scripted',
      encryptionKey: PLANTED.blobKey,
    });
  } finally {
    client.close();
  }
}

const READ = JSON.stringify({ path: PLANTED.path });

/** All spans, once the processes have ended and sent what they had. */
async function spansAtTheEnd(): Promise<readonly ReceivedSpan[]> {
  const { gateways, workers } = system.cluster;
  await Promise.all([...gateways, ...workers].map((node) => node.stop()));
  expect(receiver.faults).toEqual([]);
  return receiver.spans;
}

function named(spans: readonly ReceivedSpan[], name: string): ReceivedSpan[] {
  return spans.filter((span) => span.name === name);
}

test('a turn with a tool is one trace over three processes, and tells nothing of what was said', async () => {
  await start();
  system.cluster.provider.script('scripted', [
    {
      steps: [
        { type: 'tool_call', id: 't1', name: 'read_file', arguments: READ },
        { type: 'finish', reason: 'tool_calls' },
      ],
    },
    {
      steps: [
        { type: 'text', text: PLANTED.answer },
        { type: 'usage', input: 70, output: 30, cacheRead: 20 },
      ],
    },
  ]);
  const turn = await holdTurn();
  expect(turn).toMatchObject({ status: 'finished', text: PLANTED.answer });
  const metrics = await Promise.all(
    [...system.cluster.gateways, ...system.cluster.workers].map(async ({ url }) =>
      (await fetch(`${url}/metrics`)).text(),
    ),
  );
  const spans = (await spansAtTheEnd()).filter(({ traceId }) => traceId === TRACE);

  const ids = new Set(spans.map(({ spanId }) => spanId));
  expect(ids.size).toBe(spans.length);
  for (const { parentSpanId, start: from, end } of spans) {
    expect([CALLER, ...ids]).toContain(parentSpanId);
    expect(end).toBeGreaterThanOrEqual(from);
  }
  expect(new Set(spans.map(({ instance }) => instance)).size).toBe(3);

  const opening = named(spans, 'BidiAppend').find(
    ({ attributes }) => attributes['tandem.append.seqno'] === 0,
  );
  expect(opening).toMatchObject({ service: 'gateway', kind: 'SPAN_KIND_SERVER', parentSpanId: CALLER });
  expect(named(spans, 'RunSSE')).toMatchObject([
    { service: 'gateway', parentSpanId: CALLER, attributes: { 'tandem.stream.end': 'completed' } },
  ]);
  const [run, ...more] = named(spans, 'invoke_agent');
  expect(more).toEqual([]);
  expect(run).toMatchObject({
    service: 'worker',
    parentSpanId: opening?.spanId,
    attributes: {
      'gen_ai.conversation.id': 'c1',
      'tandem.run.outcome': 'completed',
      'tandem.run.left': 'done',
    },
    failed: false,
  });
  expect(named(spans, 'execute_tool read')).toMatchObject([
    { parentSpanId: run?.spanId, kind: 'SPAN_KIND_CLIENT', attributes: { 'tandem.exec.end': 'answered' } },
  ]);
  const calls = named(spans, 'model_call');
  const tries = named(spans, 'chat scripted');
  expect(calls.map(({ parentSpanId }) => parentSpanId)).toEqual([run?.spanId, run?.spanId]);
  expect(tries.map(({ parentSpanId }) => parentSpanId)).toEqual(calls.map(({ spanId }) => spanId));
  expect(tries).toMatchObject([
    { kind: 'SPAN_KIND_CLIENT', attributes: { 'gen_ai.response.finish_reasons': ['tool_calls'] } },
    {
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai-compatible',
        'gen_ai.request.model': 'scripted',
        'gen_ai.response.finish_reasons': ['stop'],
        'gen_ai.usage.input_tokens': 90,
        'gen_ai.usage.output_tokens': 30,
      },
    },
  ]);

  const logs = system.cluster.output();
  expect(logs).toContain(`"traceId":"${TRACE}"`);
  expect(logs).toMatch(/"requestId":"[^"]+".*"conversationId":"c1".*turn ended/);
  const secrets = [...Object.values(PLANTED), system.cluster.apiKey];
  for (const seen of [logs, receiver.text, ...metrics]) {
    for (const secret of secrets) expect(seen).not.toContain(secret);
  }
});

test('whoever takes a turn over refers to the former owner; contents are traced when that is switched on', async () => {
  await start({ TANDEM_TRACE_CONTENTS: 'true' }, 2);
  system.cluster.provider.script('scripted', [
    {
      steps: [
        { type: 'text', text: 'one ' },
        { type: 'hold', name: 'for ever' },
      ],
    },
    { steps: [{ type: 'text', text: PLANTED.answer }] },
  ]);
  const held = holdTurn();
  await system.cluster.provider.held('for ever');
  const owner = await until('one worker runs the turn', async () => {
    const { workers } = system.cluster;
    const turns = await Promise.all(workers.map(({ url }) => readMetric(url, 'tandem_turns_running')));
    return workers[turns.findIndex((count) => count > 0)];
  });
  await owner.stop();
  expect(await held).toMatchObject({ status: 'finished', text: `one ${PLANTED.answer}` });

  const spans = (await spansAtTheEnd()).filter(({ traceId }) => traceId === TRACE);
  const [former, latter] = named(spans, 'invoke_agent').toSorted((a, b) => (a.start < b.start ? -1 : 1));
  expect(former?.attributes).toMatchObject({ 'tandem.run.taken_up': 'open', 'tandem.run.left': 'stopped' });
  expect(latter?.attributes).toMatchObject({ 'tandem.run.taken_up': 'resume', 'tandem.run.left': 'done' });
  expect(former?.links).toEqual([]);
  expect(latter?.links).toEqual([{ traceId: TRACE, spanId: former?.spanId }]);
  expect(latter?.parentSpanId).toBe(former?.parentSpanId);
  expect(latter?.instance).not.toBe(former?.instance);

  const last = named(spans, 'model_call').at(-1);
  expect(last?.attributes['gen_ai.input.messages']).toContain(PLANTED.prompt);
  expect(last?.attributes['gen_ai.output.messages']).toContain(PLANTED.answer);
  for (const secret of Object.values(PLANTED)) expect(system.cluster.output()).not.toContain(secret);
});
