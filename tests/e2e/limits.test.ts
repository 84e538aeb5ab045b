import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, createClient, ServerError, type TurnStream } from '@tandem/client';
import { hashKey } from '@tandem/platform';
import { readMetric, startService, until } from '@tandem/test-support/cluster';
import { makeFolder, removeFolder } from '@tandem/test-support/engines';
import type { Reply, ScriptedProvider } from '@tandem/test-support/provider';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type System, startSystem } from './harness/system.ts';

/** Two models with prices a million tokens, and what users may do with them. */
const PRICES = {
  scripted: { input: 2, output: 10, cacheRead: 0.5, cacheWrite: 3 },
  other: { input: 1, output: 4 },
};
const GROUPS = [
  { id: 'staff', models: ['scripted', 'other'], memberLimits: { tokensPerDay: 1000, concurrentTurns: 1 } },
  { id: 'guests', models: ['other'] },
];
const USERS = [
  { id: 'alice', groups: ['staff'] },
  { id: 'bob', groups: ['staff'], limits: { tokensPerDay: 1_000_000 } },
  { id: 'carol' },
  { id: 'dora', groups: ['guests'] },
  { id: 'erin' },
  { id: 'frank', limits: { tokensPerDay: 1000 } },
];
const DAILY_LIMIT =
  /Your 1,000 tokens for today are spent\. They reset at 00:00 UTC, in (\d+ h ?)?(\d+ min)?\./;
const TURN_LIMIT = 'You already run a turn, as many as you may at a time. Wait until one of them has ended.';

let folder: string;
let usersFile: string;
let provider: ScriptedProvider;
let system: System;
const clients = new Map<string, Client>();

beforeAll(async () => {
  folder = makeFolder('limits');
  usersFile = join(folder, 'users.yaml');
  const keys = (id: string) => [{ id: 'laptop', sha256: hashKey(keyOf(id)) }];
  writeFileSync(
    usersFile,
    JSON.stringify({ groups: GROUPS, users: USERS.map((user) => ({ ...user, keys: keys(user.id) })) }),
  );
  system = await startSystem({
    gateways: 2,
    workers: 2,
    env: ({ baseUrl }) => {
      const models = Object.entries(PRICES).map(([id, price]) => ({
        id,
        price,
        deployments: [{ provider: 'openai-compatible', model: id, baseUrl }],
      }));
      const modelsFile = join(folder, 'models.yaml');
      writeFileSync(modelsFile, JSON.stringify({ models }));
      return {
        TANDEM_USERS_FILE: usersFile,
        TANDEM_USERS_POLL: '100ms',
        TANDEM_MODELS_FILE: modelsFile,
        TANDEM_USAGE_METRICS_BY_USER: 'true',
      };
    },
  });
  provider = system.provider;
});

beforeEach(() => {
  provider.reset();
});

afterAll(async () => {
  for (const client of clients.values()) client.close();
  await system?.[Symbol.asyncDispose]();
  removeFolder(folder);
});

const keyOf = (id: string) => `key-of-${id}`;

function clientOf(id: string): Client {
  const client = clients.get(id) ?? createClient({ baseUrl: system.proxy.url, apiKey: keyOf(id) });
  clients.set(id, client);
  return client;
}

let conversations = 0;
function say(id: string, text: string, more: { modelId?: string; onFrame?: () => void } = {}) {
  conversations += 1;
  return clientOf(id).runTurn({ text, conversationId: `c${conversations}`, modelId: 'scripted', ...more });
}

const reply = (text: string, usage: object): Reply => ({
  steps: [
    { type: 'text', text },
    { type: 'usage', input: 0, output: 0, ...usage },
  ],
});

/** A turn of the official SDK, by a user's own key. */
async function sdkTurn(id: string) {
  const conversation = await system.sdk.create({ model: 'scripted', apiKey: keyOf(id) });
  const streamsBefore = streams();
  const turn = await conversation.say('Hello.');
  return { turn, attempts: streams() - streamsBefore };
}

const streams = () => system.proxy.calls.filter(({ path }) => path.endsWith('/RunSSE')).length;

/** Holds a turn in its answer, once its client has seen the beginning. */
async function hold(id: string, name: string) {
  provider.script('scripted', [
    {
      steps: [
        { type: 'text', text: 'held ' },
        { type: 'hold', name },
        { type: 'text', text: 'on' },
      ],
    },
  ]);
  const held = Promise.withResolvers<TurnStream>();
  conversations += 1;
  const turn = clientOf(id).runTurn({
    text: 'Hold.',
    conversationId: `c${conversations}`,
    modelId: 'scripted',
    onFrame: ({ message: { message } }, stream) => {
      if (message.case === 'interactionUpdate' && message.value.message.case === 'textDelta')
        held.resolve(stream);
    },
  });
  return { turn, stream: await held.promise };
}

async function tandem(...args: string[]): Promise<string> {
  const command = startService({
    name: 'tandem',
    main: 'services/admin/src/main.ts',
    args,
    env: { TANDEM_USERS_FILE: usersFile, TANDEM_REDIS_URL: system.cluster.redis.url },
  });
  expect(await command.exited, command.output()).toBe(0);
  return command.output();
}

interface Row {
  readonly [figure: string]: number | string;
}
const usageRows = async (): Promise<Row[]> => JSON.parse(await tandem('usage', '--json')).rows;

test('a user at her daily limit is refused on any worker, told when it resets, and not retried; others go on', async () => {
  provider.script('scripted', [reply('Dear.', { input: 900, output: 200 })]);
  expect((await sdkTurn('alice')).turn).toMatchObject({ status: 'finished', result: 'Dear.' });

  for (let turns = 0; turns < 4; turns += 1) {
    const { turn, attempts } = await sdkTurn('alice');
    expect(turn.status).toBe('error');
    expect(turn.error).toMatch(DAILY_LIMIT);
    expect(attempts).toBe(1);
  }
  const own = await say('alice', 'And by our own client?');
  expect(own).toMatchObject({ status: 'failed', error: { code: 'resource_exhausted', retryable: false } });
  expect(own.attempts).toHaveLength(1);
  expect(provider.requests).toHaveLength(1);

  expect((await sdkTurn('carol')).turn.status).toBe('finished');
});

test('a turn that spends the last of a day ends within, and keeps what it has', async () => {
  provider.script('scripted', [
    {
      steps: [
        { type: 'text', text: 'Half a ' },
        { type: 'usage', input: 500, output: 600 },
        { type: 'finish', reason: 'length' },
      ],
    },
  ]);
  const turn = await say('frank', 'Tell a long story.');
  expect(turn).toMatchObject({ status: 'failed', text: 'Half a ', error: { code: 'resource_exhausted' } });
  expect((turn.error as Error).message).toMatch(DAILY_LIMIT);
  expect(turn.checkpoint?.turns).toHaveLength(1);
});

test('a user is warned once of a limit that is near, apart from the answer', async () => {
  await tandem('users', 'add', 'gina', '--group', 'staff', '--key-file', join(folder, 'gina.key'));
  const added = await tandem('users', 'add', 'gina', '--key', 'second');
  const key = /^tk_\w+$/m.exec(added)?.[0] ?? '';
  const gina = createClient({ baseUrl: system.proxy.url, apiKey: key });
  clients.set('gina', gina);
  // Each gateway looks at the file by itself.
  const gateways = system.cluster.gateways.map(({ url }) => url);
  await until('the new user is known', async () => {
    const lists = await Promise.all(gateways.map((url) => listing(key, url)));
    return lists.every((models) => models.length > 0);
  });

  provider.script('scripted', [
    reply('one', { input: 850 }),
    reply('two', { input: 10 }),
    reply('three', { input: 10 }),
  ]);
  const texts = [];
  for (const text of ['One?', 'Two?', 'Three?']) {
    texts.push((await say('gina', text)).text);
    // What a turn used is booked when its last call has ended, which may be after its client has the answer.
    await until('it is counted', async () => usedBy(await usageRows(), 'gina') >= 850);
  }
  expect(texts).toEqual(['one', '85 % of your 1,000 tokens for today are spent.\n\ntwo', 'three']);
});

test('one turn too many at a time is refused, until the other has ended', async () => {
  const { turn } = await hold('bob', 'bob');
  const beyond = await sdkTurn('bob');
  expect(beyond).toMatchObject({ turn: { status: 'error' }, attempts: 1 });
  expect(beyond.turn.error).toContain(TURN_LIMIT);
  expect((await say('bob', 'Me too?')).status).toBe('failed');
  expect((await say('carol', 'And me?')).status).toBe('finished');

  provider.release('bob');
  expect(await turn).toMatchObject({ status: 'finished', text: 'held on' });
  await until('the place is free', async () => (await say('bob', 'Now?')).status === 'finished');
});

test('models are those of the user’s groups: listed, and refused', async () => {
  expect(await listing(keyOf('dora'))).toEqual(['other']);
  expect(await listing(keyOf('alice'))).toEqual(['scripted', 'other']);
  const turn = await say('dora', 'The better one, please.');
  expect(turn).toMatchObject({ status: 'failed', error: { code: 'permission_denied', retryable: false } });
  expect((turn.error as Error).message).toBe('You may not use this model. Choose one of these: other.');
  expect(provider.requests).toHaveLength(0);
  expect((await say('dora', 'Then this.', { modelId: 'other' })).status).toBe('finished');
});

async function listing(key: string, url = system.proxy.url): Promise<string[]> {
  const answer = await fetch(`${url}/v1/models`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const { items } = (await answer.json()) as { items?: { id: string }[] };
  return (items ?? []).map(({ id }) => id);
}

test('a key that is revoked in mid-turn stops the next append, though its token is still young', async () => {
  const { turn, stream } = await hold('erin', 'erin');
  const heartbeat = { message: { case: 'clientHeartbeat', value: {} } } as const;
  await stream.append(heartbeat);

  const output = await tandem('users', 'revoke', 'erin');
  expect(JSON.parse(output)).toMatchObject({ action: 'key_revoked', user: 'erin', key: 'laptop' });
  const refused = await until('an append is refused', () =>
    stream.append(heartbeat).then(
      () => undefined,
      (error: unknown) => error,
    ),
  );
  expect(refused).toBeInstanceOf(ServerError);
  expect(refused).toMatchObject({ source: 'append', code: 'unauthenticated', retryable: false });
  // Whichever gateway is asked.
  await until('both gateways have seen the new file', async () => {
    const answers = await Promise.allSettled([1, 2, 3, 4].map(() => stream.append(heartbeat)));
    return answers.every(({ status }) => status === 'rejected');
  });
  provider.release('erin');
  await turn;
  expect((await say('erin', 'Hello?')).status).toBe('failed');
});

test('usage by user and model equals what the provider counted', async () => {
  const before = await usageRows();
  const metricsBefore = await tokensOf('carol');
  const counted = [
    { input: 1001, output: 101, cacheRead: 11, cacheWrite: 0 },
    { input: 2003, output: 203, cacheRead: 0, cacheWrite: 0 },
    { input: 4007, output: 407, cacheRead: 1013, cacheWrite: 0 },
  ];
  // The first answer is cut at the output limit and continued: two calls in one turn.
  provider.script('scripted', [
    {
      steps: [
        { type: 'text', text: 'a' },
        { type: 'usage', ...at(counted, 0) },
        { type: 'finish', reason: 'length' },
      ],
    },
    reply('b', at(counted, 1)),
  ]);
  provider.script('other', [reply('c', at(counted, 2)), reply('d', { input: 7, output: 3 })]);
  expect((await say('carol', 'Twice.')).text).toBe('ab');
  expect((await say('carol', 'Once.', { modelId: 'other' })).text).toBe('c');
  expect((await say('dora', 'Once.', { modelId: 'other' })).text).toBe('d');

  await until('all is booked', async () => {
    const day = new Date().toISOString().slice(0, 10);
    const rows = await system.reader.usage.report(day);
    const calls = rows.find(({ scope, model }) => scope === 'user:dora' && model === 'other')?.calls;
    return calls === ((rowOf(before, 'dora', 'other').calls as number | undefined) ?? 0) + 1;
  });
  const after = await usageRows();
  const spent = (user: string, model: string) => {
    const now = rowOf(after, user, model);
    const then = rowOf(before, user, model);
    return Object.fromEntries(
      ['calls', 'input', 'output', 'cacheRead', 'estimated', 'money'].map((figure) => [
        figure,
        Number(((now[figure] as number) - ((then[figure] as number) ?? 0)).toFixed(9)),
      ]),
    );
  };
  const money = (model: keyof typeof PRICES, calls: readonly (typeof counted)[number][]) => {
    const price: { input: number; output: number; cacheRead?: number } = PRICES[model];
    const cost = calls.reduce(
      (sum, { input, output, cacheRead }) =>
        sum + input * price.input + output * price.output + cacheRead * (price.cacheRead ?? price.input),
      0,
    );
    return Number((cost / 1e6).toFixed(9));
  };
  expect(spent('carol', 'scripted')).toEqual({
    calls: 2,
    input: 3004,
    output: 304,
    cacheRead: 11,
    estimated: 0,
    money: money('scripted', counted.slice(0, 2)),
  });
  expect(spent('carol', 'other')).toEqual({
    calls: 1,
    input: 4007,
    output: 407,
    cacheRead: 1013,
    estimated: 0,
    money: money('other', counted.slice(2)),
  });
  expect(spent('dora', 'other')).toMatchObject({ input: 7, output: 3 });
  expect((await tokensOf('carol')) - metricsBefore).toBe(3004 + 304 + 11 + 4007 + 407 + 1013);
});

function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new Error(`no item ${index}`);
  return item;
}

function rowOf(rows: readonly Row[], user: string, model: string): Row {
  return rows.find((row) => row.user === user && row.model === model) ?? {};
}

/** All input tokens of a user that are booked for good. */
function usedBy(rows: readonly Row[], user: string): number {
  return rows.filter((row) => row.user === user).reduce((sum, row) => sum + Number(row.input ?? 0), 0);
}

/** All tokens of a user that the workers' metrics show. */
async function tokensOf(user: string): Promise<number> {
  const texts = await Promise.all(
    system.cluster.workers.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()),
  );
  return texts
    .flatMap((text) => text.split('\n'))
    .filter((line) => line.startsWith('tandem_user_tokens_total{') && line.includes(`user="${user}"`))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

test('what is counted survives a worker that is killed', async () => {
  const { turn } = await hold('bob', 'cut off');
  // Turns of earlier tests whose clients are gone may take a while to end.
  const owner = await until('no other turn runs', async () => {
    const { workers } = system.cluster;
    const turns = await Promise.all(workers.map(({ url }) => readMetric(url, 'tandem_turns_running')));
    return turns.reduce((sum, count) => sum + count, 0) === 1 && workers[turns.indexOf(1)];
  });
  const before = provider.requests.length;
  provider.script('scripted', [
    {
      steps: [
        { type: 'hold', name: 'taken over' },
        { type: 'text', text: 'again' },
      ],
    },
  ]);
  await owner.kill();
  await provider.request(before + 1);

  const refused = await say('bob', 'Is there a place now?');
  expect((refused.error as Error).message).toBe(TURN_LIMIT);
  expect(((await say('alice', 'Do you still know?')).error as Error).message).toMatch(DAILY_LIMIT);
  expect((await say('carol', 'And me?', { modelId: 'other' })).status).toBe('finished');
  provider.release('taken over');
  expect(await turn).toMatchObject({ status: 'finished', text: 'held again' });
  // The cut call's tokens are not known; that it was made is.
  const bob = rowOf(await usageRows(), 'bob', 'scripted');
  expect(bob.estimated).toBeGreaterThan(0);
  await until('the place is free', async () => (await say('bob', 'Now?')).status === 'finished');
});
