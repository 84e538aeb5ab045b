import { expect, test } from 'vitest';
import { ManualClock } from '../testing/manual-clock.ts';
import { endWell, startPair, TURN } from '../testing/pair.ts';
import { NO_RETRIES } from './retry-policy.ts';

test('without a checkpoint the same message goes out again, as the same turn', async () => {
  const seen: unknown[] = [];
  const shown = Promise.withResolvers<void>();
  await using pair = await startPair({
    stream: async (stream, index) => {
      const { message } = await stream.take('runRequest');
      seen.push(message.message.value);
      stream.text(`a${index}`);
      await shown.promise;
      if (index === 0) stream.cut();
      else endWell(stream);
    },
  });
  const turn = await pair.client.runTurn({ ...TURN, onFrame: () => shown.resolve() });
  expect(turn).toMatchObject({ status: 'finished', text: 'a0a1' });
  expect(seen[1]).toEqual(seen[0]);
  const [first, second] = turn.attempts;
  expect(second?.requestId).not.toBe(first?.requestId);
  expect(first?.fault).toMatchObject({ fault: 'cut' });
  expect(pair.server.appends.at(-1)?.headers).toMatchObject({
    'x-request-id': second?.requestId,
    'x-original-request-id': first?.requestId,
  });
});

test('with a checkpoint the turn resumes from it', async () => {
  await using pair = await startPair({
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
  const turn = await pair.client.runTurn(TURN);
  expect(turn.status).toBe('finished');
  expect(turn.attempts[0]?.fault).toMatchObject({ fault: 'no_end' });
});

test('a turn that was done before the connection broke is done', async () => {
  const received = Promise.withResolvers<void>();
  await using pair = await startPair({
    stream: async (stream) => {
      await stream.take('runRequest');
      stream.turnEnded();
      stream.checkpoint({});
      await received.promise;
      stream.cut();
    },
  });
  const turn = await pair.client.runTurn({
    ...TURN,
    onFrame: ({ message }) => message.message.case === 'conversationCheckpointUpdate' && received.resolve(),
  });
  expect(turn.status).toBe('finished');
  expect(turn.attempts).toHaveLength(1);
});

test('a stream that ends well before the turn does is tried again', async () => {
  await using pair = await startPair({
    stream: async (stream, index) => {
      await stream.take('runRequest');
      if (index === 0) stream.end();
      else endWell(stream);
    },
  });
  const turn = await pair.client.runTurn(TURN);
  expect(turn.attempts.map(({ fault }) => (fault as { fault?: string } | undefined)?.fault)).toEqual([
    'no_turn_ended',
    undefined,
  ]);
});

test('a refused append fails the attempt', async () => {
  let refusals = 0;
  await using pair = await startPair({
    append: () => (refusals++ === 0 ? { status: 503 } : undefined),
    stream: async (stream) => {
      await stream.take('runRequest');
      endWell(stream);
    },
  });
  const turn = await pair.client.runTurn(TURN);
  expect(turn.status).toBe('finished');
  expect(turn.attempts[0]?.fault).toMatchObject({ source: 'append', httpStatus: 503 });
});

test('the server is asked four times at most', async () => {
  await using pair = await startPair({ refuseStream: () => ({ status: 503 }) });
  const turn = await pair.client.runTurn(TURN);
  expect(turn.status).toBe('failed');
  expect(turn.attempts).toHaveLength(4);
});

test('resuming in vain ends', async () => {
  await using pair = await startPair({
    stream: async (stream, index) => {
      await stream.take('runRequest');
      if (index === 0) stream.checkpoint({});
      stream.endSilently();
    },
  });
  const turn = await pair.client.runTurn(TURN);
  expect(turn.status).toBe('failed');
  expect(turn.attempts).toHaveLength(3);
});

test('can be switched off', async () => {
  await using pair = await startPair({
    stream: (stream) => stream.end({ error: { code: 'unavailable', message: 'later' } }),
  });
  const turn = await pair.client.runTurn({ ...TURN, retries: NO_RETRIES });
  expect(turn).toMatchObject({ status: 'failed', error: { message: '[unavailable] later' } });
  expect(turn.attempts).toHaveLength(1);
});

test('a cancel in the pause before a retry ends the turn', async () => {
  const clock = new ManualClock();
  await using pair = await startPair({ refuseStream: () => ({ status: 503 }) }, { clock });
  const cancel = new AbortController();
  const turn = await pair.client.runTurn({
    ...TURN,
    retries: { ...TURN.retries, delayMs: () => 1000 },
    signal: cancel.signal,
    onRetry: () => setImmediate(() => cancel.abort(new Error('enough'))),
  });
  expect(turn).toMatchObject({ status: 'canceled', error: { message: 'enough' } });
});
