import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { agent, ENVELOPE_HEADER_BYTES, tandem } from '@tandem/proto';
import { TURN_LIMITS } from '../actor/limits.ts';
import type { SessionObserver } from '../actor/session-observer.ts';
import { TurnHost } from '../host/turn-host.ts';
import { decodeEntry, higherEpochVoids, isEndStream } from '../journal/entry.ts';
import { readThrough } from '../journal/read-through.ts';
import { MemoryDispatch, MemoryLeases, MemoryLog, MemoryRetention, MemorySignals } from '../memory/index.ts';
import { appendMessage } from '../parts/append-message.ts';
import type { Clock } from '../ports/clock.ts';
import { encodePresence } from '../presence/reader-tracker.ts';
import { commandSubject, journalSubject, presenceSubject, turnKey } from '../subject/turn-key.ts';
import { seededEntropy } from './seeded-entropy.ts';
import { numbered, toyLogic, toyRunner } from './toy-turn.ts';
import { VirtualClock } from './virtual-clock.ts';

/** One turn named `r1` on memory adapters and virtual time, with as many workers as are started. */
export function turnHarness(options: { maxRecordBytes?: number } = {}) {
  const clock = new VirtualClock();
  const entropy = seededEntropy(1);
  const log = new MemoryLog({ clock, ...options });
  const signals = new MemorySignals({ clock });
  const leases = new MemoryLeases({ clock });
  const dispatch = new MemoryDispatch({ clock });
  const retention = new MemoryRetention({ clock, log });
  const key = turnKey('alice', 'r1');
  const failures: unknown[] = [];

  async function worker(workerId: string, observer: SessionObserver = {}) {
    const runner = toyRunner();
    const queue = dispatch.queue();
    const life = { over: false };
    const host = new TurnHost({
      log: mortal(log, life),
      signals: mortal(signals, life),
      leases: mortal(leases, life),
      retention: mortal(retention, life),
      clock: mortalClock(clock, life),
      entropy,
      logic: toyLogic,
      runner,
      limits: TURN_LIMITS,
      workerId,
      queue,
      observer: { ...observer, logicFailed: (_key, error) => void failures.push(error) },
      hostObserver: { sessionFailed: (_key, error) => void failures.push(error) },
    });
    await host.start();
    /** As SIGKILL: nothing it does reaches anything any more, nothing reaches it. */
    const kill = () => {
      life.over = true;
      queue.crash();
    };
    return { host, runner, kill };
  }

  /** Appends as a gateway does; seqno 0 dispatches. */
  async function append(requestId: string, seqno: number, id: number, set = entropy.id()) {
    const info = create(tandem.RequestInfoSchema, { ownerId: 'alice', originalRequestId: 'r1' });
    const message = toBinary(agent.AgentClientMessageSchema, numbered(id));
    await command(
      {
        case: 'append',
        value: create(tandem.AppendSchema, { requestId, seqno: BigInt(seqno), message, info }),
      },
      set,
    );
    if (seqno === 0) await dispatch.dispatch(key);
  }

  async function command(kind: tandem.Command['kind'], set = entropy.id()) {
    const payload = toBinary(tandem.CommandSchema, create(tandem.CommandSchema, { kind }));
    await appendMessage(log, commandSubject(key), set, payload, { clock, retryForMs: 1000 });
  }

  async function entries() {
    const reading = readThrough({ log, clock, entropy }, journalSubject(key), 0, 1000, {
      voids: higherEpochVoids,
    });
    await clock.settle();
    return (await reading).messages.map(({ payload }) => decodeEntry(payload));
  }

  /** The journal in words: one string an item. */
  async function story() {
    const items = (await entries()).flatMap((entry) => entry.items);
    return items.flatMap(({ kind }) => {
      if (kind.case === 'frame') return [isEndStream(kind.value) ? 'EndStream' : shownText(kind.value)];
      if (kind.case === 'owner') return [`owner ${kind.value.workerId} ${kind.value.takeovers}`];
      if (kind.case === 'opened') return [`opened ${kind.value.requestId}`];
      if (kind.case === 'attempt') return [`attempt ${kind.value.requestId}`];
      if (kind.case === 'ended')
        return [`ended ${tandem.Outcome[kind.value.outcome]} ${kind.value.reason}`.trim()];
      return [];
    });
  }

  const shown = async () => (await story()).filter((line) => !/^(owner|opened|attempt|ended) /.test(line));
  const present = (readerId: string, requestId = 'r1', leaving = false) =>
    signals.publish(presenceSubject(key), encodePresence({ readerId, requestId, leaving }));

  return {
    clock,
    log,
    signals,
    leases,
    dispatch,
    key,
    failures,
    worker,
    append,
    command,
    entries,
    story,
    shown,
    present,
  };
}

/** The same port, as one process uses it: calls of a dead process have no effect and never return. */
function mortal<T extends object>(port: T, life: { over: boolean }): T {
  return new Proxy(port, {
    get(target, name) {
      const member = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => (life.over ? new Promise(() => {}) : member.apply(target, args));
    },
  });
}

function mortalClock(clock: VirtualClock, life: { over: boolean }): Clock {
  return {
    now: () => clock.now(),
    after: (ms, run) =>
      clock.after(ms, () => {
        if (!life.over) run();
      }),
  };
}

function shownText(frame: Uint8Array): string {
  const { message } = fromBinary(agent.AgentServerMessageSchema, frame.subarray(ENVELOPE_HEADER_BYTES));
  const update = message.case === 'interactionUpdate' ? message.value.message : undefined;
  return update?.case === 'textDelta' ? update.value.text : '?';
}
