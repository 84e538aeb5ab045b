import type { ProviderRequest, Reply } from '@tandem/test-support/provider';
import { expect, test } from 'vitest';
import { startSystem } from './harness/system.ts';

const STEERED = 'Only the tests, please.';

/** Calls tools until it reads what the user put in, then does as it was told. */
function untilSteered({ raw }: ProviderRequest, calls: number): Reply {
  if (raw.includes(STEERED)) return { steps: [{ type: 'text', text: 'Only the tests, then.' }] };
  const args = JSON.stringify({ path: `file-${calls}.txt` });
  return {
    steps: [
      { type: 'text', text: 'Looking. ' },
      { type: 'tool_call', id: `c${calls}`, name: 'read_file', arguments: args },
      { type: 'finish', reason: 'tool_calls' },
    ],
  };
}

test('a turn is steered while tools run, the next one canceled in mid-answer, and the follow-up remembers all of it', async () => {
  await using system = await startSystem({ gateways: 2, workers: 2 });
  const { provider, sdk } = system;
  const conversation = await sdk.create({ model: 'scripted' });
  const shown = () => new Promise<void>((resolve) => conversation.onDelta(() => resolve()));

  let calls = 0;
  provider.script('scripted', (request: ProviderRequest) => untilSteered(request, ++calls));
  const looking = shown();
  const first = conversation.say('Look at everything.');
  await looking;
  expect(await conversation.steer(STEERED)).toBe('complete_delivered');
  expect(await first).toMatchObject({ status: 'finished', result: 'Only the tests, then.' });

  provider.script('scripted', {
    steps: [
      { type: 'text', text: 'A long story begins' },
      { type: 'hold', name: 'never' },
    ],
  });
  const begun = shown();
  const second = conversation.say('Tell me a story.');
  await begun;
  await conversation.cancel();
  expect(await second).toMatchObject({ status: 'cancelled', shown: 'A long story begins' });

  provider.script('scripted', { steps: [{ type: 'text', text: 'Of the tests.' }] });
  expect(await conversation.say('What did we talk about?')).toMatchObject({ result: 'Of the tests.' });
  const raw = provider.requests.at(-1)?.raw;
  for (const said of ['Look at everything.', STEERED, 'Only the tests, then.']) expect(raw).toContain(said);
}, 120_000);
