import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  type Clock,
  type Dispatcher,
  type DispatchQueue,
  type Entropy,
  type Leases,
  type Log,
  type Retention,
  type Signals,
  TURN_LIMITS,
  TurnHost,
  turnKey,
} from '@tandem/actor-core';
import { Reader, type Sink, storeAppend } from '@tandem/gateway';
import { agent, EnvelopeDecoder, tandem } from '@tandem/proto';
import { echoLogic, message, textOf } from './echo-turn.ts';
import type { ReaderPlan, Schedule } from './schedule.ts';

/** What a gateway needs. Several of them share the engines, not the connections. */
export interface GatewayPorts {
  readonly log: Log;
  readonly signals: Signals;
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
  readonly entropy: Entropy;
}

export interface WorkerPorts extends Omit<GatewayPorts, 'dispatcher'> {
  readonly leases: Leases;
  readonly retention: Retention;
  readonly queue: DispatchQueue;
}

/** A worker that runs echo turns. */
export async function startEchoWorker(ports: WorkerPorts): Promise<{ drain(): Promise<void> }> {
  const host = new TurnHost({
    ...ports,
    logic: echoLogic,
    runner: { run: () => {} },
    limits: TURN_LIMITS,
    observer: {},
    workerId: ports.entropy.id(),
  });
  await host.start();
  return { drain: () => host.drain(0) };
}

/** Plays a schedule. @returns what each reader was shown over all its streams, once all have been given everything */
export async function play(
  schedule: Schedule,
  gateways: readonly GatewayPorts[],
  owner: string,
  requestId: string,
): Promise<string[][]> {
  const { sends, readers, pauses } = schedule;
  const key = turnKey(owner, requestId);
  const gateway = (index: number) => gateways[index % gateways.length] as GatewayPorts;
  const appends: Promise<void>[] = [];
  const shown: Promise<string[]>[] = [];
  for (let index = 0; index <= sends.length; index++) {
    for (const [number, plan] of readers.entries()) {
      if (plan.opensBefore === index)
        shown[number] = read(plan, (again) => gateway(number + again), key, requestId);
    }
    const seqno = sends[index];
    if (seqno === undefined) break;
    await pause(gateway(0).clock, pauses.get(index) ?? 0);
    const ports = gateway(index + seqno);
    const info = create(tandem.RequestInfoSchema, { ownerId: owner, originalRequestId: requestId });
    const bytes = toBinary(agent.AgentClientMessageSchema, message(seqno === schedule.messages - 1));
    const append = { requestId, seqno, message: bytes };
    appends.push(storeAppend({ ...ports, storeMs: 10_000 }, key, append, seqno === 0 ? info : undefined));
  }
  await Promise.all(appends);
  return await Promise.all(shown);
}

/** Reads to the end, over as many streams as the plan makes of it. */
async function read(
  plan: ReaderPlan,
  gateway: (stream: number) => GatewayPorts,
  key: ReturnType<typeof turnKey>,
  requestId: string,
): Promise<string[]> {
  const shown: string[] = [];
  for (let stream = 0; ; stream++) {
    const sink = new CountingSink(plan.dropsAfter);
    const request = { key, requestId, received: shown.length, acceptsGzip: false, trusted: true };
    const reader = new Reader(gateway(stream), request, sink);
    sink.onDropped = () => reader.clientClosed();
    reader.start();
    const end = await reader.done;
    shown.push(...sink.taken);
    if (end !== 'closed') return sink.ended ? shown : [...shown, `ended with ${end}`];
  }
}

/** A client that takes a number of frames, then drops the connection; what comes behind them is lost. */
class CountingSink implements Sink {
  readonly taken: string[] = [];
  ended = false;
  onDropped: () => void = () => {};
  #dropped = false;
  readonly #most: number;
  readonly #decoder = new EnvelopeDecoder({ maxMessageBytes: 1_000_000 });

  constructor(most: number | undefined) {
    this.#most = most ?? Number.POSITIVE_INFINITY;
  }

  write(bytes: Uint8Array): undefined {
    for (const { payload, endStream } of this.#decoder.push(bytes)) {
      if (this.taken.length >= this.#most && !endStream) this.#dropped = true;
      if (this.#dropped) break;
      if (endStream) this.ended = true;
      else this.#take(fromBinary(agent.AgentServerMessageSchema, payload));
    }
    if (this.#dropped) this.onDropped();
  }

  async flushed(): Promise<boolean> {
    return !this.#dropped;
  }

  async end(): Promise<boolean> {
    return !this.#dropped;
  }

  destroy(): void {}

  #take(frame: agent.AgentServerMessage): void {
    const text = textOf({ message: frame });
    if (text) this.taken.push(text);
  }
}

function pause(clock: Clock, ms: number): Promise<void> {
  return ms > 0 ? new Promise((resolve) => clock.after(ms, resolve)) : Promise.resolve();
}

/** What every reader has to be shown. */
export function everything({ messages }: Schedule): string[] {
  return Array.from({ length: messages }, (_, seqno) => `#${seqno}`);
}
