import { create } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { afterEach, describe, expect, test } from 'vitest';
import { MemoryBlobStore } from '../answers/blob-store.ts';
import { type Client, type ClientOptions, createClient } from '../client.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import {
  type Script,
  type ScriptedServer,
  type ScriptedStream,
  startScriptedServer,
} from '../testing/scripted-server.ts';
import { NO_RETRIES, type RetryPolicy } from './retry-policy.ts';

const PROMPTLY: RetryPolicy = { limits: { server: 3, transport: 10 }, fruitlessResumes: 2, delayMs: () => 0 };
const TURN = { text: 'hello', conversationId: 'c', modelId: 'demo', retries: PROMPTLY, encryptionKey: 'ab' };

let server: ScriptedServer;
let client: Client;

afterEach(async () => {
  client.close();
  await server[Symbol.asyncDispose]();
  expect(server.faults).toEqual([]);
});

async function start(script: Script, options: Partial<ClientOptions> = {}): Promise<Client> {
  server = await startScriptedServer(script);
  client = createClient({ baseUrl: server.baseUrl, apiKey: 'key', ...options });
  return client;
}

function endWell(stream: ScriptedStream): void {
  stream.turnEnded({ inputTokens: 1n });
  stream.checkpoint({ readPaths: ['end'] });
  stream.end();
}

test('a turn from the first message to the end', async () => {
  await start({
    stream: async (stream) => {
      const { message, headers, seqno } = await stream.take('runRequest');
      expect(seqno).toBe(0);
      for (const sent of [headers, stream.headers]) {
        expect(sent).toMatchObject({
          authorization: 'Bearer token of Bearer key',
          'x-request-id': stream.requestId,
          'x-original-request-id': stream.requestId,
          'x-blob-encryption-key': 'ab',
        });
      }
      expect(message.message.value).toMatchObject({
        conversationId: 'c',
        runId: stream.requestId,
        requestedModel: { modelId: 'demo' },
        action: { action: { case: 'userMessageAction', value: { userMessage: { text: 'hello' } } } },
      });
      stream.update({ case: 'thinkingDelta', value: { text: 'hm' } });
      stream.text('wor');
      stream.send(
        {
          case: 'interactionUpdate',
          value: { message: { case: 'textDelta', value: { text: 'ld'.repeat(500) } } },
        },
        true,
      );
      endWell(stream);
    },
  });
  const turn = await client.runTurn(TURN);
  expect(turn).toMatchObject({
    status: 'finished',
    text: `wor${'ld'.repeat(500)}`,
    thinking: 'hm',
    checkpoint: { readPaths: ['end'] },
    usage: { inputTokens: 1 },
    error: undefined,
  });
  expect(turn.frames.map(({ flags }) => flags)).toEqual([0, 0, 1, 0, 0]);
  expect(turn.attempts).toHaveLength(1);
});

test('what the server asks is answered', async () => {
  const id = new Uint8Array([1, 2]);
  await start({
    stream: async (stream) => {
      await stream.take('runRequest');
      stream.send({
        case: 'kvServerMessage',
        value: { id: 0, message: { case: 'getBlobArgs', value: { blobId: id } } },
      });
      expect((await stream.take('kvClientMessage')).message.message.value).toEqual(
        create(agent.KvClientMessageSchema, { id: 0, message: { case: 'getBlobResult', value: {} } }),
      );
      stream.send({
        case: 'kvServerMessage',
        value: { id: 1, message: { case: 'setBlobArgs', value: { blobId: id, blobData: new Uint8Array() } } },
      });
      expect((await stream.take('kvClientMessage')).message.message.value).toEqual(
        create(agent.KvClientMessageSchema, { id: 1, message: { case: 'setBlobResult', value: {} } }),
      );
      stream.send({
        case: 'execServerMessage',
        value: { id: 0, message: { case: 'requestContextArgs', value: {} } },
      });
      expect((await stream.take('execClientMessage')).message.message.value).toMatchObject({
        id: 0,
        message: {
          case: 'requestContextResult',
          value: {
            result: {
              case: 'success',
              value: { requestContext: { env: { workspacePaths: [process.cwd()] } } },
            },
          },
        },
      });
      expect((await stream.take('execClientControlMessage')).message.message.value).toMatchObject({
        message: { case: 'streamClose', value: { id: 0 } },
      });
      stream.send({
        case: 'execServerMessage',
        value: { id: 1, message: { case: 'readArgs', value: { path: 'x' } } },
      });
      expect((await stream.take('execClientControlMessage')).message.message.value).toMatchObject({
        message: { case: 'throw', value: { id: 1, error: 'No handler found for readArgs' } },
      });
      await stream.take('execClientControlMessage');
      stream.send({
        case: 'interactionQuery',
        value: { id: 9, query: { case: 'askQuestionInteractionQuery', value: {} } },
      });
      expect((await stream.take('interactionResponse')).message.message.value).toMatchObject({
        id: 9,
        result: {
          case: 'askQuestionInteractionResponse',
          value: { result: { result: { case: 'rejected' } } },
        },
      });
      endWell(stream);
    },
  });
  const blobs = new MemoryBlobStore();
  expect((await client.runTurn({ ...TURN, blobs })).status).toBe('finished');
  expect(blobs.get(id)).toEqual(new Uint8Array());
});

test('a handler streams, and is aborted', async () => {
  await start({
    stream: async (stream) => {
      await stream.take('runRequest');
      stream.send({
        case: 'execServerMessage',
        value: { id: 4, message: { case: 'shellStreamArgs', value: {} } },
      });
      await stream.take('execClientMessage');
      stream.send({
        case: 'execServerControlMessage',
        value: { message: { case: 'abort', value: { id: 4 } } },
      });
      expect((await stream.take('execClientMessage')).message.message.value).toMatchObject({
        message: { value: { event: { case: 'exit', value: { aborted: true } } } },
      });
      await stream.take('execClientControlMessage');
      endWell(stream);
    },
  });
  const turn = await client.runTurn({
    ...TURN,
    handlers: {
      shellStreamArgs: async (_args, { send, signal }) => {
        send({ case: 'shellStream', value: { event: { case: 'stdout', value: { data: 'a' } } } });
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        return {
          case: 'shellStream',
          value: { event: { case: 'exit', value: { aborted: signal.aborted } } },
        };
      },
    },
  });
  expect(turn.status).toBe('finished');
});

test('at most 16 appends are out at once, numbered in order', async () => {
  let out = 0;
  let most = 0;
  const gate = Promise.withResolvers<void>();
  await start({
    append: async ({ message }) => {
      if (message.message.case !== 'kvClientMessage') return undefined;
      out += 1;
      most = Math.max(most, out);
      if (out === 16) gate.resolve();
      await gate.promise;
      out -= 1;
      return undefined;
    },
    stream: async (stream) => {
      await stream.take('runRequest');
      for (let id = 0; id < 40; id++) {
        stream.send({ case: 'kvServerMessage', value: { id, message: { case: 'getBlobArgs', value: {} } } });
      }
      for (let id = 0; id < 40; id++) await stream.take('kvClientMessage');
      endWell(stream);
    },
  });
  expect((await client.runTurn({ ...TURN, binary: true })).status).toBe('finished');
  expect(most).toBe(16);
  expect(server.appends.map(({ seqno }) => seqno).sort((a, b) => a - b)).toEqual([...Array(41).keys()]);
});

describe('retries', () => {
  test('without a checkpoint the same message goes out again, as the same turn', async () => {
    const seen: unknown[] = [];
    const shown = Promise.withResolvers<void>();
    await start({
      stream: async (stream, index) => {
        const { message } = await stream.take('runRequest');
        seen.push(message.message.value);
        stream.text(`a${index}`);
        await shown.promise;
        if (index === 0) stream.cut();
        else endWell(stream);
      },
    });
    const turn = await client.runTurn({ ...TURN, onFrame: () => shown.resolve() });
    expect(turn).toMatchObject({ status: 'finished', text: 'a0a1' });
    expect(seen[1]).toEqual(seen[0]);
    const [first, second] = turn.attempts;
    expect(second?.requestId).not.toBe(first?.requestId);
    expect(first?.fault).toMatchObject({ fault: 'cut' });
    expect(server.appends.at(-1)?.headers).toMatchObject({
      'x-request-id': second?.requestId,
      'x-original-request-id': first?.requestId,
    });
  });

  test('with a checkpoint the turn resumes from it', async () => {
    await start({
      stream: async (stream, index) => {
        const { message } = await stream.take('runRequest');
        if (index === 0) {
          stream.checkpoint({ readPaths: ['one'] });
          stream.endSilently();
          return;
        }
        expect(message.message.value).toMatchObject({
          conversationState: { readPaths: ['one'] },
          action: { action: { case: 'resumeAction' } },
        });
        endWell(stream);
      },
    });
    const turn = await client.runTurn(TURN);
    expect(turn.status).toBe('finished');
    expect(turn.attempts[0]?.fault).toMatchObject({ fault: 'no_end' });
  });

  test('a turn that was done before the connection broke is done', async () => {
    const received = Promise.withResolvers<void>();
    await start({
      stream: async (stream) => {
        await stream.take('runRequest');
        stream.turnEnded();
        stream.checkpoint({});
        await received.promise;
        stream.cut();
      },
    });
    const turn = await client.runTurn({
      ...TURN,
      onFrame: ({ message }) => message.message.case === 'conversationCheckpointUpdate' && received.resolve(),
    });
    expect(turn.status).toBe('finished');
    expect(turn.attempts).toHaveLength(1);
  });

  test('a stream that ends well before the turn does is tried again', async () => {
    await start({
      stream: async (stream, index) => {
        await stream.take('runRequest');
        if (index === 0) stream.end();
        else endWell(stream);
      },
    });
    const turn = await client.runTurn(TURN);
    expect(turn.attempts.map(({ fault }) => (fault as { fault?: string } | undefined)?.fault)).toEqual([
      'no_turn_ended',
      undefined,
    ]);
  });

  test('a refused append fails the attempt', async () => {
    let refusals = 0;
    await start({
      append: () => (refusals++ === 0 ? { status: 503 } : undefined),
      stream: async (stream) => {
        await stream.take('runRequest');
        endWell(stream);
      },
    });
    const turn = await client.runTurn(TURN);
    expect(turn.status).toBe('finished');
    expect(turn.attempts[0]?.fault).toMatchObject({ source: 'append', httpStatus: 503 });
  });

  test('the server is asked four times at most', async () => {
    await start({ refuseStream: () => ({ status: 503 }) });
    const turn = await client.runTurn(TURN);
    expect(turn.status).toBe('failed');
    expect(turn.attempts).toHaveLength(4);
  });

  test('resuming in vain ends', async () => {
    await start({
      stream: async (stream, index) => {
        await stream.take('runRequest');
        if (index === 0) stream.checkpoint({});
        stream.endSilently();
      },
    });
    const turn = await client.runTurn(TURN);
    expect(turn.status).toBe('failed');
    expect(turn.attempts).toHaveLength(3);
  });

  test('can be switched off', async () => {
    await start({ stream: (stream) => stream.end({ error: { code: 'unavailable', message: 'later' } }) });
    const turn = await client.runTurn({ ...TURN, retries: NO_RETRIES });
    expect(turn).toMatchObject({ status: 'failed', error: { message: '[unavailable] later' } });
    expect(turn.attempts).toHaveLength(1);
  });

  test('a cancel in the pause before a retry ends the turn', async () => {
    const clock = new ManualClock();
    await start({ refuseStream: () => ({ status: 503 }) }, { clock });
    const cancel = new AbortController();
    const turn = await client.runTurn({
      ...TURN,
      retries: { ...PROMPTLY, delayMs: () => 1000 },
      signal: cancel.signal,
      onRetry: () => setImmediate(() => cancel.abort(new Error('enough'))),
    });
    expect(turn).toMatchObject({ status: 'canceled', error: { message: 'enough' } });
  });
});

test('a cancel drops the connection', async () => {
  const gone = Promise.withResolvers<void>();
  await start({
    stream: async (stream) => {
      await stream.take('runRequest');
      stream.text('a');
      await stream.closed();
      gone.resolve();
    },
  });
  const cancel = new AbortController();
  const turn = await client.runTurn({
    ...TURN,
    signal: cancel.signal,
    onFrame: () => cancel.abort(new Error('enough')),
  });
  expect(turn).toMatchObject({ status: 'canceled', text: 'a' });
  await gone.promise;
});

test('heartbeats go out, and a silent stream is given up', async () => {
  const clock = new ManualClock();
  await start(
    {
      stream: async (stream) => {
        await stream.take('runRequest');
        stream.text('a');
        clock.advance(5_000);
        const { seqno } = await stream.take('clientHeartbeat');
        expect(seqno).toBe(1);
        clock.advance(30_000);
      },
    },
    { clock },
  );
  const turn = await client.runTurn({ ...TURN, retries: NO_RETRIES });
  expect(turn).toMatchObject({ status: 'failed', error: { fault: 'stalled' } });
});

test('bytes that are no events fail the turn', async () => {
  await start({
    stream: async (stream) => {
      await stream.take('runRequest');
      stream.raw(new Uint8Array([8, 0, 0, 0, 0]));
    },
  });
  const turn = await client.runTurn({ ...TURN, retries: NO_RETRIES });
  expect(turn).toMatchObject({ status: 'failed', error: { fault: 'malformed' } });
});

test('the next turn starts from the checkpoint', async () => {
  const state = create(agent.ConversationStateStructureSchema, { readPaths: ['before'] });
  await start({
    stream: async (stream) => {
      const { message } = await stream.take('runRequest');
      expect(message.message.value).toMatchObject({ conversationState: { readPaths: ['before'] } });
      endWell(stream);
    },
  });
  expect((await client.runTurn({ ...TURN, state })).status).toBe('finished');
});
