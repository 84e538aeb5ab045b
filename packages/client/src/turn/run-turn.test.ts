import { create } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { expect, test } from 'vitest';
import { MemoryBlobStore } from '../answers/blob-store.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { endWell, startPair, TURN } from '../testing/pair.ts';
import { NO_RETRIES } from './retry-policy.ts';

test('a turn from the first message to the end', async () => {
  await using pair = await startPair({
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
  const turn = await pair.client.runTurn(TURN);
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
  await using pair = await startPair({
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
  expect((await pair.client.runTurn({ ...TURN, blobs })).status).toBe('finished');
  expect(blobs.get(id)).toEqual(new Uint8Array());
});

test('a handler streams, and is aborted', async () => {
  await using pair = await startPair({
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
  const turn = await pair.client.runTurn({
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
  await using pair = await startPair({
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
  expect((await pair.client.runTurn({ ...TURN, binary: true })).status).toBe('finished');
  expect(most).toBe(16);
  expect(pair.server.appends.map(({ seqno }) => seqno).sort((a, b) => a - b)).toEqual([...Array(41).keys()]);
});

test('a cancel drops the connection', async () => {
  const gone = Promise.withResolvers<void>();
  await using pair = await startPair({
    stream: async (stream) => {
      await stream.take('runRequest');
      stream.text('a');
      await stream.closed();
      gone.resolve();
    },
  });
  const cancel = new AbortController();
  const turn = await pair.client.runTurn({
    ...TURN,
    signal: cancel.signal,
    onFrame: () => cancel.abort(new Error('enough')),
  });
  expect(turn).toMatchObject({ status: 'canceled', text: 'a' });
  await gone.promise;
});

test('heartbeats go out, and a silent stream is given up', async () => {
  const clock = new ManualClock();
  await using pair = await startPair(
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
  const turn = await pair.client.runTurn({ ...TURN, retries: NO_RETRIES });
  expect(turn).toMatchObject({ status: 'failed', error: { fault: 'stalled' } });
});

test('bytes that are no events fail the turn', async () => {
  await using pair = await startPair({
    stream: async (stream) => {
      await stream.take('runRequest');
      stream.raw(new Uint8Array([8, 0, 0, 0, 0]));
    },
  });
  const turn = await pair.client.runTurn({ ...TURN, retries: NO_RETRIES });
  expect(turn).toMatchObject({ status: 'failed', error: { fault: 'malformed' } });
});

test('the next turn starts from the checkpoint', async () => {
  const state = create(agent.ConversationStateStructureSchema, { readPaths: ['before'] });
  await using pair = await startPair({
    stream: async (stream) => {
      const { message } = await stream.take('runRequest');
      expect(message.message.value).toMatchObject({ conversationState: { readPaths: ['before'] } });
      endWell(stream);
    },
  });
  expect((await pair.client.runTurn({ ...TURN, state })).status).toBe('finished');
});
