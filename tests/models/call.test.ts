import { TandemError } from '@tandem/errors';
import { contextTooLong, type Reply, startScriptedProvider } from '@tandem/test-support/provider';
import { afterEach, describe, expect, it } from 'vitest';
import { collect, failureOf, modelCall, type Rig, startRig, textOf, toldBy } from './harness.ts';

let rig: Rig;
afterEach(() => rig.close());

const failing = (status: number, error: Record<string, unknown> = {}, headers = {}): Reply => ({
  status,
  headers,
  body: { error: { message: 'You sent: sk-secret-key and PROMPT', type: 'some_error', ...error } },
});

describe('before the answer begins', () => {
  it('tries again with growing waits, and the answer is whole', async () => {
    rig = await startRig([{ retries: 3 }]);
    rig.provider.script('m', [failing(500), failing(503), failing(529)]);
    expect(textOf(await collect(rig))).toBe('hello');
    expect(rig.clock.waits).toEqual([500, 1000, 2000]);
    expect(rig.tries.map(({ attempt, outcome }) => [attempt, outcome])).toEqual([
      [1, 'provider_unavailable'],
      [2, 'provider_unavailable'],
      [3, 'provider_unavailable'],
      [4, 'stop'],
    ]);
  });

  it('waits as long as the provider asks', async () => {
    rig = await startRig([{}]);
    rig.provider.script('m', [failing(429, {}, { 'retry-after': '3' })]);
    await collect(rig);
    expect(rig.clock.waits).toEqual([3000]);
  });

  it('does not sit out a long wait, and passes it on', async () => {
    rig = await startRig([{}]);
    rig.provider.script('m', failing(429, {}, { 'retry-after': '120' }));
    const error = await failureOf(collect(rig));
    expect(error).toMatchObject({ reason: 'provider_rate_limited', retryAfterMs: 120_000 });
    expect(rig.provider.requests).toHaveLength(1);
  });

  it.each([
    [400, {}, 'provider_bad_request', 1],
    [401, {}, 'provider_auth', 1],
    [403, {}, 'provider_auth', 1],
    [402, {}, 'provider_auth', 1],
    [429, { code: 'insufficient_quota' }, 'provider_auth', 1],
    [404, {}, 'model_not_found', 1],
    [413, {}, 'context_too_long', 1],
    [429, {}, 'provider_rate_limited', 3],
    [500, {}, 'provider_unavailable', 3],
    [504, {}, 'provider_timeout', 3],
  ])(
    'HTTP %i %o is %s after %i tries, and repeats no word of the provider',
    async (status, error, reason, count) => {
      for (const provider of [
        'openai-compatible',
        'openai',
        'azure',
        'google',
        'bedrock',
        'anthropic',
      ] as const) {
        rig = await startRig([{ provider }]);
        rig.provider.script('m', failing(status, error));
        const failure = await failureOf(collect(rig));
        expect(failure.reason).toBe(reason);
        expect(rig.provider.requests).toHaveLength(count);
        expect(toldBy(failure)).not.toMatch(/sk-secret-key|PROMPT/);
        expect(failure.cause).toBeUndefined();
        if (provider !== 'anthropic') await rig.close();
      }
    },
  );

  it.each(['openai', 'azure', 'anthropic', 'google', 'google-vertex', 'bedrock'] as const)(
    'knows when %s finds the prompt too long',
    async (provider) => {
      rig = await startRig([{ provider }, { provider }]);
      rig.provider.script('m', contextTooLong(provider));
      expect((await failureOf(collect(rig))).reason).toBe('context_too_long');
      expect(rig.provider.requests).toHaveLength(1);
    },
  );

  it.each([
    { provider: 'openai-compatible' },
    { provider: 'openai' },
    { provider: 'openai', api: 'responses' },
    { provider: 'anthropic' },
    { provider: 'azure' },
    { provider: 'google' },
    { provider: 'google-vertex' },
    { provider: 'bedrock' },
  ] as const)('tries again after an error within the stream of %o', async (deployment) => {
    rig = await startRig([deployment]);
    const error = { type: 'overloaded_error', message: 'Overloaded' };
    rig.provider.script('m', [{ steps: [{ type: 'error', error }, { type: 'end' }] }]);
    expect(textOf(await collect(rig))).toBe('hello');
    expect(rig.provider.requests).toHaveLength(2);
  });

  it('tries again when nobody listens, and says so without a word of the request', async () => {
    const gone = await startScriptedProvider();
    await gone.close();
    rig = await startRig([{ baseUrl: gone.baseUrl, retries: 1 }]);
    const failure = await failureOf(collect(rig));
    expect(failure).toMatchObject({
      reason: 'provider_unavailable',
      message: 'openai-compatible/m: no connection (ECONNREFUSED)',
    });
    expect(rig.tries).toHaveLength(2);
  });

  it.each([
    ['refuses the key', failing(401)],
    ['is overloaded', failing(529)],
    ['limits the rate', failing(429)],
    ['does not know the model', failing(404)],
  ])('goes on to the next deployment when the first one %s', async (_, reply) => {
    rig = await startRig([
      { model: 'first', retries: 0 },
      { model: 'second', provider: 'anthropic', name: 'spare' },
    ]);
    rig.provider.script('first', reply);
    const events = await collect(rig);
    expect(events.at(-1)).toMatchObject({ reason: 'stop', deployment: 'spare' });
    expect(rig.provider.requests.map(({ model }) => model)).toEqual(['first', 'second']);
  });

  it('asks nobody else when the request itself is bad', async () => {
    rig = await startRig([{ model: 'first' }, { model: 'second' }]);
    rig.provider.script('first', failing(400));
    expect((await failureOf(collect(rig))).reason).toBe('provider_bad_request');
    expect(rig.provider.requests).toHaveLength(1);
  });

  it('tells the fault that may pass when all deployments fail', async () => {
    rig = await startRig([
      { model: 'first', retries: 0 },
      { model: 'second', retries: 0 },
    ]);
    rig.provider.script('first', failing(429));
    rig.provider.script('second', failing(401));
    expect((await failureOf(collect(rig))).reason).toBe('provider_rate_limited');
  });

  it('gives up on a deployment that says nothing, closes its socket, and asks the next', async () => {
    rig = await startRig([{ model: 'first' }, { model: 'second' }]);
    rig.provider.script('first', { steps: [{ type: 'ping' }, { type: 'hold', name: 'silence' }] });
    const events = collect(rig);
    await rig.provider.held('silence');
    rig.clock.timeOut();
    expect(textOf(await events)).toBe('hello');
    expect(rig.tries[0]?.outcome).toBe('provider_timeout');
    const first = await rig.provider.request(1);
    await first.closed;
    expect(first.aborted).toBe(true);
  });

  it('sends the key that its file holds at the time of the call', async () => {
    let key = 'sk-first';
    const secrets = { env: {}, readTextFile: () => key };
    rig = await startRig([{ apiKey: { file: '/key' } }], {}, { secrets });
    await collect(rig);
    key = 'sk-second';
    await collect(rig);
    const sent = rig.provider.requests.map(({ headers }) => headers.authorization);
    expect(sent).toEqual(['Bearer sk-first', 'Bearer sk-second']);
  });

  it('knows no other models', async () => {
    rig = await startRig([{}]);
    expect((await failureOf(collect(rig, { model: 'gpt-99' }))).reason).toBe('model_not_found');
    expect(rig.models.find('gpt-99')).toBeUndefined();
    for (const name of ['m', '', 'auto'])
      expect(rig.models.find(name)).toMatchObject({ id: 'm', supportsImages: true });
  });
});

describe('once the answer has begun', () => {
  it('is interrupted by silence, keep-alives or not, and never asked again', async () => {
    rig = await startRig([{ provider: 'anthropic' }, { model: 'second' }]);
    rig.provider.script('m', {
      steps: [{ type: 'text', text: 'a' }, { type: 'ping' }, { type: 'hold', name: 'silence' }],
    });
    const events = rig.models.call(modelCall(), new AbortController().signal)[Symbol.asyncIterator]();
    expect((await events.next()).value).toEqual({ type: 'text', text: 'a' });
    await rig.provider.held('silence');
    rig.clock.timeOutFromNowOn();
    expect((await events.next()).value).toMatchObject({ type: 'finish', reason: 'interrupted' });
    expect((await events.next()).done).toBe(true);
    expect(rig.provider.requests).toHaveLength(1);
    await (await rig.provider.request(1)).closed;
  });
});

describe.each([
  { provider: 'openai-compatible' },
  { provider: 'openai' },
  { provider: 'openai', api: 'responses' },
  { provider: 'anthropic' },
  { provider: 'azure' },
  { provider: 'google' },
  { provider: 'google-vertex' },
  { provider: 'bedrock' },
] as const)('an abort reaches the socket of %o', (deployment) => {
  it.each([
    ['while the provider is silent', [{ type: 'hold', name: 'h' }]],
    [
      'in the middle of the answer',
      [
        { type: 'text', text: 'a' },
        { type: 'hold', name: 'h' },
      ],
    ],
  ] as const)('%s', async (_, steps) => {
    rig = await startRig([deployment]);
    rig.provider.script('m', { steps });
    const abort = new AbortController();
    const failure = failureOf(collect(rig, {}, abort.signal));
    await rig.provider.held('h');
    abort.abort(new TandemError('canceled_by_user'));
    expect((await failure).reason).toBe('canceled_by_user');
    const request = await rig.provider.request(1);
    await request.closed;
    expect(request.aborted).toBe(true);
    expect(rig.provider.requests).toHaveLength(1);
    expect(rig.tries).toMatchObject([{ outcome: 'aborted' }]);
  });

  it('before the headers', async () => {
    rig = await startRig([deployment]);
    rig.provider.script('m', { status: 500, hold: 'h' });
    const abort = new AbortController();
    const failure = failureOf(collect(rig, {}, abort.signal));
    await rig.provider.held('h');
    abort.abort(new TandemError('superseded'));
    expect((await failure).reason).toBe('superseded');
    await (await rig.provider.request(1)).closed;
  });

  it('when the reader leaves', async () => {
    rig = await startRig([deployment]);
    rig.provider.script('m', {
      steps: [
        { type: 'text', text: 'a' },
        { type: 'hold', name: 'h' },
      ],
    });
    for await (const event of rig.models.call(modelCall(), new AbortController().signal)) {
      if (event.type === 'text') break;
    }
    const request = await rig.provider.request(1);
    await request.closed;
    expect(request.aborted).toBe(true);
  });
});
