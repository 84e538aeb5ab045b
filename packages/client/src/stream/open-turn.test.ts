import { expect, test } from 'vitest';
import { endWell, startPair } from '../testing/pair.ts';

test('says how many frames it has', async () => {
  await using pair = await startPair({
    stream: async (stream) => {
      expect(stream.headers['x-tandem-received']).toBe('7');
      endWell(stream);
    },
  });
  const turn = await pair.client.openTurn({ received: 7 });
  await turn.opened;
  const frames = await collect(turn.events);
  expect(frames).toHaveLength(2);
});

test('repeats a message under its number, and numbers the others as before', async () => {
  await using pair = await startPair({ stream: async (stream) => void (await stream.closed()) });
  const turn = await pair.client.openTurn({});
  await turn.append({ message: { case: 'clientHeartbeat', value: {} } });
  await turn.appendAs(0, { message: { case: 'clientHeartbeat', value: {} } });
  await turn.append({ message: { case: 'clientHeartbeat', value: {} } });
  expect(pair.server.appends.map(({ seqno }) => seqno)).toEqual([0, 0, 1]);
  turn.close();
  await expect(collect(turn.events)).rejects.toThrow('closed by the client');
});

test('a refusal reaches whoever waits for the opening or reads the events', async () => {
  await using pair = await startPair({
    refuseStream: () => ({ status: 429, body: '{"code":"resource_exhausted"}' }),
  });
  const turn = await pair.client.openTurn({});
  await expect(turn.opened).rejects.toMatchObject({ code: 'resource_exhausted', httpStatus: 429 });
  await expect(collect(turn.events)).rejects.toMatchObject({ source: 'stream' });
});

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
