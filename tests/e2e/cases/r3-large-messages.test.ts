import { randomBytes } from 'node:crypto';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { commandSubject, type LogRecord, turnKey } from '@tandem/actor-core';
import {
  type ExecHandlers,
  NO_RETRIES,
  requestContextHandler,
  type TurnOptions,
  type TurnResult,
} from '@tandem/client';
import { agent } from '@tandem/proto';
import { readMetric, until } from '@tandem/test-support/cluster';
import type { Step } from '@tandem/test-support/provider';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { saidLast } from '../harness/said.ts';
import { type System, startSystem } from '../harness/system.ts';

const MB = 1_000_000;
/** The largest message of a NATS server that was told nothing else, headers included. */
const NATS_LIMIT = 1_048_576;
const DOCUMENTED_LIMIT = 32 * 1024 * 1024;
/** How long somebody else's delta may take while large messages go by, on a machine that runs other tests too. */
const PROMPT_MS = 5_000;

/** The tokens are not those of the text: how long a conversation may be is another matter. */
const OK = {
  steps: [
    { type: 'usage', input: 100, output: 1 },
    { type: 'text', text: 'ok' },
  ],
} as const;
/** What the model asks for, by what the user said. */
const CALLS: Readonly<Record<string, { name: string; arguments: string }>> = {
  'Read the file.': { name: 'read_file', arguments: '{"path":"/big.txt"}' },
  'Run the command.': { name: 'run_command', arguments: '{"command":"print-a-lot"}' },
};

let system: System;
let bystander: Bystander;

beforeAll(async () => {
  system = await startSystem({ gateways: 2, workers: 1 });
  bystander = new Bystander();
  system.provider.script('scripted', (request) => {
    if (saidLast(request) === 'Count.') return { steps: bystander.steps };
    const call = CALLS[saidLast(request)];
    if (call && !request.raw.includes('tool_call_id'))
      return { steps: [{ type: 'tool_call', id: 'c1', ...call }] };
    return OK;
  });
  bystander.begin();
});

afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
});

test('R3: a first message whose record is about as large as NATS takes', async () => {
  const { reader, cluster } = system;
  const { maxRecordBytes } = reader.log;
  expect(maxRecordBytes).toBeLessThan(NATS_LIMIT);
  const [probe = 0] = await recordSizes(1 * MB);
  const overhead = probe - MB;
  for (const limit of [maxRecordBytes, NATS_LIMIT]) {
    for (const size of [limit - 1, limit, limit + 1]) {
      const sizes = await recordSizes(size - overhead);
      expect(sizes).toEqual(size <= maxRecordBytes ? [size] : [maxRecordBytes, size - maxRecordBytes]);
    }
  }
  expect(cluster.output()).not.toMatch(/maximum payload/i);

  /** Holds a turn with a text of this length. @returns the payloads' sizes of its first message's records */
  async function recordSizes(length: number): Promise<number[]> {
    const requestId = `size-${length}`;
    expect(requestId).toHaveLength(`size-${MB}`.length);
    await expectOk({ requestId, conversationId: requestId, text: 'x'.repeat(length) });
    const subject = commandSubject(turnKey(cluster.ownerId, requestId));
    const records: LogRecord[] = [];
    for (let after = 0, more = true; more; after = records.at(-1)?.sequence ?? 0) {
      const page = await reader.log.read(subject, after, 100);
      records.push(...page);
      more = page.length > 0;
    }
    const parts = records.filter(({ part }) => part.set === records[0]?.part.set);
    return parts.map(({ payload }) => payload.length);
  }
});

test('R3: the result of a tool of 3 MB', async () => {
  const line = `${'y'.repeat(99)}\n`;
  const content = line.repeat((3 * MB) / line.length);
  const success = {
    path: '/big.txt',
    output: { case: 'content', value: content } as const,
    fileSize: BigInt(content.length),
  };
  await expectToolOk('Read the file.', {
    readArgs: () => ({ case: 'readResult', value: { result: { case: 'success', value: success } } }),
  });
  expect(system.provider.requests.at(-1)?.raw).toContain('yyyy');
});

test('R3: a burst of 2 MB of a command’s output', async () => {
  const pieces = 32;
  await expectToolOk('Run the command.', {
    shellStreamArgs: (_args, { send }) => {
      const event = (value: MessageInitShape<typeof agent.ShellStreamSchema>) =>
        ({ case: 'shellStream', value }) as const;
      send(event({ event: { case: 'start', value: {} } }));
      for (let piece = 0; piece < pieces; piece += 1) {
        const data = `${'u'.repeat((2 * MB) / pieces)}\n`;
        send(event({ event: { case: 'stdout', value: { data } } }));
      }
      return event({ event: { case: 'exit', value: { code: 0, cwd: '/' } } });
    },
  });
  expect(system.provider.requests.at(-1)?.raw).toContain('uuuu');
});

test('R3: an image of 5 MB', async () => {
  const data = new Uint8Array(randomBytes(5 * MB));
  data.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const image = create(agent.SelectedImageSchema, {
    uuid: 'i',
    mimeType: 'image/png',
    dataOrBlobId: { case: 'data', value: data },
  });
  const userMessage = { text: 'What is it?', selectedContext: { selectedImages: [image] } };
  const action = create(agent.ConversationActionSchema, {
    action: { case: 'userMessageAction', value: { userMessage } },
  });
  system.provider.script('scripted-claude', OK);
  await expectOk({ conversationId: 'image', modelId: 'scripted-claude', extra: { action } });
  expect(system.provider.requests.at(-1)?.raw.length).toBeGreaterThan(5 * MB);
});

test('R3: blobs of 2 MB, down to the client and up again', async () => {
  const turn = { conversationId: 'blobs' };
  const first = await expectOk({ ...turn, text: 'z'.repeat(2 * MB) });
  const blobs = first.frames.flatMap(({ message: { message } }) =>
    message.case === 'kvServerMessage' && message.value.message.case === 'setBlobArgs'
      ? [message.value.message.value.blobData.length]
      : [],
  );
  expect(Math.max(...blobs)).toBeGreaterThan(2 * MB);
  // Without a key of the client's nothing is cached, so that it is asked for them.
  const second = await expectOk({ ...turn, text: 'And now?', state: first.checkpoint });
  const asked = second.frames.filter(
    ({ message: { message } }) =>
      message.case === 'kvServerMessage' && message.value.message.case === 'getBlobArgs',
  );
  expect(asked.length).toBeGreaterThan(0);
  expect(system.provider.requests.at(-1)?.raw.length).toBeGreaterThan(2 * MB);
});

test('R3: a run request of 8 MB', async () => {
  await expectOk({ conversationId: 'request', text: 'w'.repeat(8 * MB) });
});

test('R3: a message above the documented limit is refused, and nothing runs', async () => {
  const calls = system.provider.requests.length;
  const turn = await system.client.runTurn({
    ...OPTIONS,
    conversationId: 'too-large',
    text: 'v'.repeat(DOCUMENTED_LIMIT),
  });
  expect(turn).toMatchObject({ status: 'failed', error: { code: 'resource_exhausted', retryable: false } });
  expect(String(turn.error)).toContain('too large');
  expect(system.provider.requests).toHaveLength(calls);
});

test('R3: no connection to an engine was lost meanwhile, and somebody else noticed nothing', async () => {
  await bystander.end();
  for (const { url } of [...system.cluster.gateways, ...system.cluster.workers]) {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain('tandem_engine_disconnects_total');
    expect(await readMetric(url, 'tandem_engine_disconnects_total')).toBe(0);
    expect(await readMetric(url, 'tandem_engine_reconnects_total')).toBe(0);
  }
});

const OPTIONS = { modelId: 'scripted', retries: NO_RETRIES };

/** Holds a turn that goes well, while somebody else's goes on. */
async function expectOk(options: TurnOptions): Promise<TurnResult> {
  const turn = system.client.runTurn({ ...OPTIONS, ...options });
  await bystander.shows();
  const result = await turn;
  expect(result).toMatchObject({ status: 'finished', text: 'ok', error: undefined });
  expect(result.attempts).toHaveLength(1);
  return result;
}

/** Holds a turn with a tool call. Its result reaches the model, but no more of it than a model can bear. */
async function expectToolOk(text: string, handlers: ExecHandlers): Promise<void> {
  const requestContextArgs = requestContextHandler({ cwd: '/' });
  await expectOk({ conversationId: text, text, handlers: { requestContextArgs, ...handlers } });
  const request = system.provider.requests.at(-1);
  expect(request?.raw).toContain('tool_call_id');
  expect(request?.raw.length).toBeLessThan(MB / 2);
}

/** Somebody else's turn, whose model says a number each time that it is asked to. */
class Bystander {
  #said = 0;
  #shown = '';
  #turn: Promise<TurnResult> | undefined;

  get steps(): Step[] {
    const numbers = Array.from({ length: 50 }, (_, index) => index + 1);
    return numbers.flatMap((number): Step[] => [
      { type: 'hold', name: `number ${number}` },
      { type: 'text', text: `${number} ` },
    ]);
  }

  begin(): void {
    this.#turn = system.client.runTurn({
      ...OPTIONS,
      conversationId: 'bystander',
      text: 'Count.',
      onFrame: ({ message: { message } }) => {
        if (message.case !== 'interactionUpdate') return;
        const { message: update } = message.value;
        if (update.case === 'textDelta') this.#shown += update.value.text;
      },
    });
  }

  /** Has the model say its next number, and waits until that is shown. */
  async shows(): Promise<void> {
    this.#said += 1;
    const releasedAt = performance.now();
    system.provider.release(`number ${this.#said}`);
    await until('the other turn goes on', async () => this.#shown.endsWith(`${this.#said} `));
    expect(performance.now() - releasedAt).toBeLessThan(PROMPT_MS);
  }

  async end(): Promise<void> {
    for (let number = this.#said + 1; number <= 50; number += 1) system.provider.release(`number ${number}`);
    const turn = await this.#turn;
    expect(turn).toMatchObject({ status: 'finished', error: undefined });
    expect(turn?.attempts).toHaveLength(1);
    expect(turn?.text).toBe(Array.from({ length: 50 }, (_, index) => `${index + 1} `).join(''));
  }
}
