import { create } from '@bufbuild/protobuf';
import { MemoryUsage } from '@tandem/actor-core/memory';
import { VirtualClock } from '@tandem/actor-core/testing';
import type { ModelEvent, Usage } from '@tandem/agent';
import { TandemError } from '@tandem/errors';
import { createUserDirectory, parseUsersFile } from '@tandem/platform';
import { tandem } from '@tandem/proto';
import { beforeEach, expect, test } from 'vitest';
import { type CallGate, createCallGate, type GateDeps } from './call-gate.ts';
import { NO_TOKENS } from './call-meter.ts';

const START = Date.parse('2031-05-01T18:30:00Z');
const USERS = `
groups:
  - id: staff
    models: [small]
    memberLimits: { concurrentTurns: 1, tokensPerDay: 1000, moneyPerDay: 2 }
    limits: { tokensPerDay: 1500 }
users:
  - { id: alice, groups: [staff], keys: [] }
  - { id: bob, groups: [staff], keys: [] }
  - { id: carol, keys: [] }
`;

let clock: VirtualClock;
let ledger: MemoryUsage;
let told: unknown[];
let directory: ReturnType<typeof directoryOf>;
let reloads: number;

function directoryOf(text: string) {
  const { groups, users } = parseUsersFile(text);
  return createUserDirectory(users, () => 0, groups);
}

beforeEach(() => {
  clock = new VirtualClock(START);
  ledger = new MemoryUsage({ clock });
  told = [];
  directory = directoryOf(USERS);
  reloads = 0;
});

function gateOf(workerId: string, more: Partial<GateDeps> = {}): CallGate {
  return createCallGate({
    ledger,
    policies: {
      policyOf: (ownerId) => directory.policyOf(ownerId),
      ownerIds: [],
      reload: async () => {
        reloads += 1;
      },
    },
    models: {
      find: (id) =>
        ['small', 'large'].includes(id) ? { id, contextWindow: 1, supportsImages: false } : undefined,
    },
    costOf: (_model, { inputTokens, outputTokens, cacheReadTokens }) =>
      (inputTokens + 2 * outputTokens + 0.1 * cacheReadTokens) / 1000,
    clock,
    entropy: { random: () => 0 },
    workerId,
    observer: {
      refused: (...what) => told.push(['refused', ...what]),
      warned: (...what) => told.push(['warned', ...what]),
      used: (...what) => told.push(['used', ...what]),
      ledgerFailed: () => told.push('failed'),
    },
    ...more,
  });
}

let turns = 0;
function planned(
  ownerId: string,
  more: { call?: number; model?: string; turn?: AbortSignal; text?: string; subagent?: boolean } = {},
) {
  turns += 1;
  return {
    facts: { ownerId, generation: 1, requestId: `r${turns}`, info: create(tandem.RequestInfoSchema) },
    call: more.call ?? 1,
    subagent: more.subagent ?? false,
    request: {
      model: more.model ?? 'small',
      messages: [{ role: 'system' as const, content: more.text ?? '' }],
      tools: [],
      parameters: {},
      conversationId: 'c',
    },
    turn: more.turn ?? new AbortController().signal,
  };
}

function finish(usage: Partial<Usage>): ModelEvent {
  return { type: 'finish', reason: 'stop', usage: { ...NO_TOKENS, ...usage }, deployment: 'd' };
}

async function use(gate: CallGate, ownerId: string, usage: Partial<Usage>): Promise<string | undefined> {
  const turn = new AbortController();
  try {
    const call = await gate.admit(planned(ownerId, { turn: turn.signal }));
    call.meter.begin();
    call.meter.event(finish(usage));
    call.close();
    await gate.close();
    return call.notice;
  } finally {
    turn.abort();
  }
}

async function refusal(admitted: Promise<unknown>): Promise<TandemError> {
  const thrown = await admitted.then(
    () => new Error('was admitted'),
    (error: unknown) => error,
  );
  if (!TandemError.isInstance(thrown)) throw thrown;
  return thrown;
}

test('a model that is not of the user’s groups is refused, and the others are named', async () => {
  const gate = gateOf('w');
  const error = await refusal(gate.admit(planned('alice', { model: 'large' })));
  expect(error).toMatchObject({ reason: 'model_not_allowed', detail: 'Choose one of these: small.' });
  expect(told).toEqual([['refused', 'alice', 'models', 'user:alice']]);
  await gate.admit(planned('carol', { model: 'large' }));
  // The call itself says that there is no such model.
  await gate.admit(planned('alice', { model: 'unknown' }));
});

test('one turn too many is refused wherever it would run, until one ends', async () => {
  const [one, other] = [gateOf('w1'), gateOf('w2')];
  const turn = new AbortController();
  const first = planned('alice', { turn: turn.signal });
  await one.admit(first);
  await one.admit({ ...first, call: 2 });
  const error = await refusal(other.admit(planned('alice')));
  expect(error).toMatchObject({ reason: 'turn_limit', code: 'resource_exhausted', retryable: false });
  expect(error.publicMessage).toBe(
    'You already run a turn, as many as you may at a time. Wait until one of them has ended.',
  );
  await other.admit(planned('bob'));
  await other.admit(planned('alice', { subagent: true }));
  turn.abort();
  await other.admit(planned('alice'));
});

test('a turn that is taken over keeps its place, though the limit is reached', async () => {
  const [dead, living] = [gateOf('w1'), gateOf('w2')];
  const turn = planned('alice');
  await dead.admit(turn);
  await living.admit({ ...turn, call: 2 });
  expect((await refusal(living.admit(planned('alice')))).reason).toBe('turn_limit');
});

test('a place is kept for as long as its turn runs, and not longer', async () => {
  const turn = new AbortController();
  await gateOf('w1').admit(planned('alice', { turn: turn.signal }));
  const other = gateOf('w2');
  for (let minutes = 0; minutes < 3; minutes += 1) {
    await clock.advance(60_000);
    expect((await refusal(other.admit(planned('alice')))).reason).toBe('turn_limit');
  }
  turn.abort();
  await other.admit(planned('alice'));
});

test('a day’s tokens once spent are refused with the time of their reset; other users go on', async () => {
  const gate = gateOf('w');
  expect(await use(gate, 'alice', { inputTokens: 700, cacheReadTokens: 50 })).toBeUndefined();
  expect(await use(gate, 'alice', { outputTokens: 60 })).toBeUndefined();
  expect(await use(gate, 'alice', { outputTokens: 300 })).toBe(
    '81 % of your 1,000 tokens for today are spent.',
  );
  const error = await refusal(use(gate, 'alice', {}));
  expect(error).toMatchObject({ reason: 'budget_spent', code: 'resource_exhausted', retryable: false });
  expect(error.publicMessage).toBe(
    'Your 1,000 tokens for today are spent. They reset at 00:00 UTC, in 5 h 30 min.',
  );
  expect(told).toContainEqual(['refused', 'alice', 'tokens', 'user:alice']);
  await use(gate, 'bob', { outputTokens: 500 });
  expect((await refusal(use(gate, 'bob', {}))).publicMessage).toContain(
    'The 1,500 tokens of your group staff for today are spent.',
  );
  await use(gate, 'carol', { outputTokens: 5000 });
  await clock.advance(5.5 * 3_600_000);
  await use(gate, 'alice', {});
});

test('money counts by the prices, exactly', async () => {
  const gate = gateOf('w');
  await use(gate, 'alice', { inputTokens: 100, outputTokens: 950 });
  expect((await ledger.report('2031-05-01'))[1]).toMatchObject({ scope: 'user:alice', money: 2_000_000_000 });
  expect((await refusal(use(gate, 'alice', {}))).publicMessage).toContain(
    'Your 1,000 tokens for today are spent.',
  );
  const rich = gateOf('w', { costOf: () => 3 });
  await use(rich, 'bob', { inputTokens: 1 });
  expect((await refusal(use(rich, 'bob', {}))).title).toBe('Your budget of 2 for today is spent.');
});

test('what no provider has counted is estimated: calls cut off, and those under way', async () => {
  const gate = gateOf('w');
  const call = await gate.admit(planned('carol', { text: 'x'.repeat(396) }));
  const estimate = async () => (await ledger.report('2031-05-01'))[0];
  expect(await estimate()).toMatchObject({ calls: 0, estimated: 101, input: 0 });
  call.meter.begin();
  call.meter.event({ type: 'text', text: 'y'.repeat(40) });
  call.close();
  await gate.close();
  expect(await estimate()).toMatchObject({ calls: 1, estimated: 111, input: 0, output: 0 });

  const failed = await gate.admit(planned('carol', { text: 'x'.repeat(400) }));
  failed.meter.begin();
  failed.meter.failed();
  failed.close();
  const never = await gate.admit(planned('carol'));
  never.close();
  await gate.close();
  expect(await estimate()).toMatchObject({ calls: 3, estimated: 111 });
});

test('users that are not known yet are looked for, and may come back', async () => {
  const gate = gateOf('w');
  const error = await refusal(gate.admit(planned('dora')));
  expect(error).toMatchObject({ reason: 'cluster_unavailable', retryable: true });
  expect(reloads).toBe(1);
  directory = directoryOf('users: [{ id: dora, keys: [] }]');
  await gate.admit(planned('dora'));
  // The user of a single key is in no file.
  await gate.admit(planned('default'));
});

test('while the ledger is away calls are made, and booked once it is back', async () => {
  let away = true;
  const guarded = new Proxy(ledger, {
    get: (target, name: keyof MemoryUsage) => {
      const method = target[name] as (...args: unknown[]) => Promise<unknown>;
      return async (...args: unknown[]) => {
        if (away) throw new TandemError('cluster_unavailable');
        return method.apply(target, args);
      };
    },
  });
  const gate = gateOf('w', { ledger: guarded });
  const call = await gate.admit(planned('alice'));
  call.meter.begin();
  call.meter.event(finish({ inputTokens: 5 }));
  call.close();
  await clock.advance(1000);
  away = false;
  await clock.advance(30_000);
  expect((await ledger.report('2031-05-01')).map(({ scope, input, calls }) => [scope, input, calls])).toEqual(
    [
      ['group:staff', 5, 1],
      ['user:alice', 5, 1],
    ],
  );
  expect((await refusal(gateOf('w2').admit(planned('alice')))).reason).toBe('turn_limit');
  expect(told).toContain('failed');
});
