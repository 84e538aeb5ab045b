import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { frameItem, type SessionStart, turnKey } from '@tandem/actor-core';
import { VirtualClock } from '@tandem/actor-core/testing';
import { createMetrics } from '@tandem/platform';
import { agent, tandem } from '@tandem/proto';
import { expect, test } from 'vitest';
import { turnMetrics } from '../metrics/turn-metrics.ts';
import { TurnWatch, tellAll } from './turn-watch.ts';

const KEY = turnKey('alice', 'r1');

function setUp() {
  const clock = new VirtualClock();
  const metrics = createMetrics({ service: 'test', processMetrics: false });
  const watch = new TurnWatch(clock, [turnMetrics(metrics)]);
  const { observer } = watch;
  const info = create(tandem.RequestInfoSchema, { ownerId: 'alice' });
  const facts = { ownerId: 'alice', generation: 7, requestId: 'r1', info };
  const start: SessionStart = {
    kind: 'open',
    facts,
    openedAt: clock.now() - 250,
    phase: tandem.Phase.CREATED,
    formerTrace: undefined,
  };
  return {
    clock,
    watch,
    facts,
    start: () => observer.started?.(KEY, start),
    phase: (phase: tandem.Phase) =>
      item({ case: 'record', value: { kind: { case: 'phase', value: { phase } } } }),
    item,
    ask: (id: number, message: Exec['message']) =>
      observer.item?.(
        KEY,
        frameItem(
          create(agent.AgentServerMessageSchema, {
            message: { case: 'execServerMessage', value: { id, message } },
          }),
        ),
      ),
    say: (message: MessageInitShape<typeof agent.AgentClientMessageSchema>['message'], waitedMs?: number) =>
      observer.command?.(KEY, create(agent.AgentClientMessageSchema, { message }), waitedMs),
    leave: () => observer.left?.(KEY, 'done'),
    /** A series' value; undefined when there is no such series. */
    value: async (name: string, ...labels: string[]) => {
      const lines = (await metrics.text()).split('\n');
      const line = lines.find(
        (one) => one.startsWith(`tandem_${name}{`) && labels.every((label) => one.includes(label)),
      );
      return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ')));
    },
  };

  function item(kind: MessageInitShape<typeof tandem.ItemSchema>['kind']) {
    observer.item?.(KEY, create(tandem.ItemSchema, { kind }));
  }
}
type Exec = MessageInitShape<typeof agent.ExecServerMessageSchema>;

test('turns are counted where they stand, and for how long they stood there', async () => {
  const t = setUp();
  t.start();
  expect(await t.value('turns_by_phase', 'phase="created"')).toBe(1);
  expect(await t.value('dispatch_wait_seconds_sum')).toBe(0.25);
  await t.clock.advance(2000);
  t.phase(tandem.Phase.RUNNING_MODEL);
  await t.clock.advance(3000);
  t.phase(tandem.Phase.WAITING_CLIENT);
  expect(await t.value('turns_by_phase', 'phase="running_model"')).toBe(0);
  expect(await t.value('turns_by_phase', 'phase="waiting_client"')).toBe(1);
  expect(await t.value('turn_phase_seconds_sum', 'phase="running_model"')).toBe(3);
  t.leave();
  expect(await t.value('turns_by_phase', 'phase="waiting_client"')).toBe(0);
});

test('a turn that ends is counted by its end, from when it was opened', async () => {
  const t = setUp();
  t.start();
  await t.clock.advance(750);
  t.phase(tandem.Phase.FAILED);
  t.item({ case: 'ended', value: { outcome: tandem.Outcome.FAILED, reason: 'provider_auth' } });
  t.leave();
  expect(await t.value('turns_ended_total', 'outcome="failed"', 'reason="provider_auth"')).toBe(1);
  expect(await t.value('turn_seconds_sum', 'outcome="failed"')).toBe(1);
  expect(await t.value('turns_by_phase', 'phase="created"')).toBe(0);
});

test('exchanges with the client are measured until they are over; what a shell writes is not its end', async () => {
  const t = setUp();
  t.start();
  t.ask(1, { case: 'readArgs', value: { path: 'a' } });
  t.ask(2, { case: 'shellStreamArgs', value: { command: 'x' } });
  t.ask(3, { case: 'writeArgs', value: { path: 'b' } });
  await t.clock.advance(1000);
  t.say({ case: 'execClientMessage', value: { id: 1, message: { case: 'readResult', value: {} } } });
  const shell = (event: agent.ShellStream['event']) =>
    t.say({
      case: 'execClientMessage',
      value: { id: 2, message: { case: 'shellStream', value: { event } } },
    });
  shell({ case: 'stdout', value: create(agent.ShellStreamStdoutSchema, { data: 'out' }) });
  t.say({ case: 'execClientControlMessage', value: { message: { case: 'throw', value: { id: 3 } } } });
  await t.clock.advance(1000);
  shell({ case: 'exit', value: create(agent.ShellStreamExitSchema) });
  t.say({ case: 'execClientControlMessage', value: { message: { case: 'streamClose', value: { id: 2 } } } });
  expect(await t.value('exec_round_trip_seconds_sum', 'tool="read"', 'end="answered"')).toBe(1);
  expect(await t.value('exec_round_trip_seconds_sum', 'tool="shell_stream"', 'end="answered"')).toBe(2);
  expect(await t.value('exec_round_trip_seconds_count', 'tool="shell_stream"', 'end="answered"')).toBe(1);
  expect(await t.value('exec_round_trip_seconds_sum', 'tool="write"', 'end="thrown"')).toBe(1);
  expect(
    await t.value('exec_round_trip_seconds_count', 'tool="shell_stream"', 'end="closed"'),
  ).toBeUndefined();
  expect(await t.value('exec_requests_total', 'tool="read"')).toBe(1);
});

test('a turn is found by its facts while it is here, and knows its conversation once it was told', async () => {
  const t = setUp();
  t.start();
  t.say({ case: 'runRequest', value: { conversationId: 'c1' } }, 400);
  expect(t.watch.turnOf(t.facts)?.conversationId).toBe('c1');
  expect(await t.value('append_reorder_wait_seconds_sum')).toBe(0.4);
});

interface Observer {
  happened?(what: string): void;
  traceOf?(turn: string): string | undefined;
  never?(): void;
}

test('each is told in order, the first to answer is heard, and nobody is told what none asks for', () => {
  const told: string[] = [];
  const list: Observer[] = [
    { happened: (what) => told.push(`a ${what}`), traceOf: () => undefined },
    { traceOf: (turn) => `b ${turn}` },
    { happened: (what) => told.push(`c ${what}`), traceOf: (turn) => `c ${turn}` },
  ];
  const all = tellAll(list);
  all.happened?.('x');
  expect(told).toEqual(['a x', 'c x']);
  expect(all.traceOf?.('t')).toBe('b t');
  expect(all.never).toBeUndefined();
  expect(tellAll<Observer>([]).happened).toBeUndefined();
});
