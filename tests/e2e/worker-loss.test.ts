import { isHeartbeat } from '@tandem/client';
import { ownerOf, type ProxiedCall, readMetric, until } from '@tandem/test-support/cluster';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { framesOf, journalEntries, journalFrames } from './harness/frames.ts';
import { type System, startSystem } from './harness/system.ts';

/** A crash delays the next journal entry by at most this much. */
const TAKEOVER_MS = 10_000;

const CUT_OFF = [
  { type: 'text', text: 'one ' },
  { type: 'text', text: 'two ' },
  { type: 'hold', name: 'cut off' },
  { type: 'text', text: 'never to be seen' },
] as const;

let system: System;

beforeEach(async () => {
  system = await startSystem({ gateways: 2, workers: 2 });
});

afterEach(async () => {
  await system?.[Symbol.asyncDispose]();
});

/** How the official SDK and our own client hold a turn; both tell what they show as it comes. */
const CLIENTS = [
  {
    name: 'the SDK',
    hold: async (shown: (text: string) => void) => {
      const conversation = await system.sdk.create({ model: 'scripted' });
      conversation.onDelta(shown);
      return conversation.say('Count.');
    },
  },
  {
    name: 'our own client',
    hold: async (shown: (text: string) => void) => {
      const turn = await system.client.runTurn({
        text: 'Count.',
        conversationId: 'own',
        modelId: 'scripted',
        onFrame: (frame) => {
          if (!isHeartbeat(frame)) shown(textOf(frame.message));
        },
      });
      return { status: turn.status, shown: turn.text };
    },
  },
];

test.each(CLIENTS)(
  'a worker is killed while it streams to $name: another one finishes the turn on the same stream',
  async ({ hold }) => {
    const { provider, cluster } = system;
    provider.script('scripted', [{ steps: CUT_OFF }, { steps: [{ type: 'text', text: 'three' }] }]);
    const screen = new Screen();
    const turn = hold((text) => screen.add(text));
    await screen.shows('one two ');

    const owner = await ownerOf(cluster.workers);
    const killedAt = performance.now();
    await owner.kill();
    await screen.shows('one two three');
    expect(performance.now() - killedAt).toBeLessThan(TAKEOVER_MS);

    expect(await turn).toMatchObject({ status: 'finished', shown: 'one two three' });
    const again = await provider.request(2);
    expect(again.raw).toContain('one two ');
    await expectOneStreamOfTheJournal();
  },
);

test('a worker that stood still for longer than its lease cannot write', async () => {
  const { provider, cluster, reader } = system;
  provider.script('scripted', [
    { steps: CUT_OFF },
    {
      steps: [
        { type: 'text', text: 'three ' },
        { type: 'hold', name: 'new owner' },
        { type: 'text', text: 'four' },
      ],
    },
  ]);
  const screen = new Screen();
  const turn = system.client.runTurn({
    text: 'Count.',
    conversationId: 'own',
    modelId: 'scripted',
    onFrame: ({ message }) => screen.add(textOf(message)),
  });
  await screen.shows('one two ');
  const owner = await ownerOf(cluster.workers);
  owner.pause();
  await screen.shows('one two three ');

  // What its model goes on to say is in its socket when it wakes up.
  provider.release('cut off');
  owner.resume();
  await until(
    'the former owner gave the turn up',
    async () => (await readMetric(owner.url, 'tandem_turns_running')) === 0,
  );
  provider.release('new owner');

  expect(await turn).toMatchObject({ status: 'finished', text: 'one two three four' });
  const stream = await expectOneStreamOfTheJournal();
  const epochs = (await journalEntries(reader.log, cluster.ownerId, stream.requestId)).map(({ epoch }) =>
    Number(epoch),
  );
  expect(epochs).toEqual(epochs.toSorted((a, b) => a - b));
  expect(new Set(epochs).size).toBe(2);
});

/** What a client has shown so far. */
class Screen {
  #text = '';
  readonly #waiting = new Set<{ text: string; resolve: () => void }>();

  add(text: string): void {
    this.#text += text;
    for (const { text: wanted, resolve } of this.#waiting) if (this.#text === wanted) resolve();
  }

  /** Resolves once exactly this is shown. */
  shows(text: string): Promise<void> {
    if (this.#text === text) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.add({ text, resolve }));
  }
}

async function expectOneStreamOfTheJournal(): Promise<ProxiedCall> {
  const { proxy, reader, cluster } = system;
  const [stream, ...more] = proxy.calls.filter(({ path }) => path.endsWith('/RunSSE'));
  expect(more).toEqual([]);
  if (!stream) throw new Error('no stream');
  expect(await stream.whole).toBe(true);
  expect(framesOf(stream.answer)).toEqual(await journalFrames(reader.log, cluster.ownerId, stream.requestId));
  return stream;
}

function textOf({ message }: { message: { case?: string | undefined; value?: unknown } }): string {
  if (message.case !== 'interactionUpdate') return '';
  const { message: update } = message.value as { message: { case?: string; value?: { text?: string } } };
  return update.case === 'textDelta' ? (update.value?.text ?? '') : '';
}
