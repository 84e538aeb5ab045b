import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { type Client, createClient, nodeTransport, type Transport } from '@tandem/client';
import { agent } from '@tandem/proto';
import type { Step } from '@tandem/test-support/provider';
import type { Rig } from '../rig/rig.ts';
import { percentile } from '../statistics.ts';
import type { Findings } from './measurement.ts';

/** Until most of gateway and worker runs optimised: they serve for days. */
const WARM_UP_TURNS = 300;
const TURNS = 120;
const DELTA_ROUNDS = 6;
const AT_ONCE = 8;
const DELTAS = 60;
/** Between two deltas of one turn: a model's pace of some 50 tokens a second. */
const PACE_MS = 20;
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

/** How soon a turn's first model call begins, and how soon what the provider says is at the client. */
export async function measureTurn(rig: Rig): Promise<Findings> {
  const gateway = await rig.startGateway();
  const worker = await rig.startWorker();
  rig.pinRest('0,1');
  const appends = watchAppends(nodeTransport());
  const client = createClient({
    baseUrl: `http://127.0.0.1:${gateway.port}`,
    apiKey: rig.apiKey,
    transport: appends.transport,
  });
  const asked = await firstCallTimes(rig, client, appends, TURNS);
  const sent = await firstCallTimes(rig, client, appends, TURNS / 2, WITH_CONTEXT);
  const deltas = await deltaTimes(rig, client);
  client.close();
  appends.transport.close();
  await gateway.process.stop();
  await worker.stop();
  return {
    figures: {
      first_call_ms_p50: percentile(asked, 0.5),
      first_call_ms_p99: percentile(asked, 0.99),
      first_call_context_sent_ms_p50: percentile(sent, 0.5),
      delta_ms_p50: percentile(deltas, 0.5),
      delta_ms_p99: percentile(deltas, 0.99),
    },
    setting: `first call: one turn at a time, from the client's run_request, its answer about its context included (context_sent: without that question); deltas: ${AT_ONCE} turns at once, one delta in ${PACE_MS} ms each`,
  };
}

/** The turn's first message, with what the server would otherwise ask the client for. */
const WITH_CONTEXT = {
  action: create(agent.ConversationActionSchema, {
    action: {
      case: 'userMessageAction',
      value: { userMessage: { text: 'Well?' }, requestContext: { env: { osVersion: 'linux' } } },
    },
  }),
};

interface Appends {
  readonly transport: Transport;
  /** When the first append since `forget` went out. */
  firstAt(): number;
  forget(): void;
}

function watchAppends(transport: Transport): Appends {
  let first: number | undefined;
  return {
    transport: {
      request(request) {
        if (request.url.endsWith('/BidiAppend')) first ??= performance.now();
        return transport.request(request);
      },
      close: () => transport.close(),
    },
    firstAt: () => first ?? Number.NaN,
    forget() {
      first = undefined;
    },
  };
}

async function firstCallTimes(
  { provider, model }: Rig,
  client: Client,
  appends: Appends,
  turns: number,
  extra: Partial<agent.AgentRunRequest> = {},
): Promise<number[]> {
  const times: number[] = [];
  let called = 0;
  provider.script(model, () => {
    called = performance.now();
    return { steps: [{ type: 'text', text: 'Yes.' }] };
  });
  for (let turn = -WARM_UP_TURNS; turn < turns; turn += 1) {
    appends.forget();
    const { status, error } = await client.runTurn({
      text: 'Well?',
      conversationId: randomUUID(),
      modelId: model,
      extra,
    });
    if (status !== 'finished') throw error;
    if (turn >= 0) times.push(called - appends.firstAt());
  }
  return times;
}

async function deltaTimes({ provider, model }: Rig, client: Client): Promise<number[]> {
  const answers = new Map<string, PacedAnswer>();
  provider.script(model, ({ lastUserText }) => {
    // The user's words come with what the prompt puts around them.
    const answer = answers.get(UUID.exec(lastUserText)?.[0] ?? '');
    answer?.begin();
    return { steps: answer?.steps ?? [] };
  });
  const times: number[] = [];
  for (let round = -1; round < DELTA_ROUNDS; round += 1) {
    const turns = Array.from({ length: AT_ONCE }, async () => {
      const text = randomUUID();
      const answer = new PacedAnswer();
      answers.set(text, answer);
      const heard = await listen(client, model, text, answer);
      if (round >= 0) times.push(...heard);
    });
    await Promise.all(turns);
  }
  return times;
}

/** An answer of numbered words at a model's pace, and when each was written to its socket. */
class PacedAnswer {
  readonly written: number[] = [];
  readonly #words = Array.from({ length: DELTAS }, () => Promise.withResolvers<void>());

  get steps(): Step[] {
    return this.#words.flatMap(({ promise }, word): Step[] => [
      { type: 'wait', for: promise },
      { type: 'text', text: `${word} ` },
    ]);
  }

  begin(): void {
    setTimeout(() => this.#say(0), PACE_MS);
  }

  #say(word: number): void {
    this.written[word] = performance.now();
    this.#words[word]?.resolve();
    if (word + 1 < DELTAS) setTimeout(() => this.#say(word + 1), PACE_MS);
  }
}

/** Holds a turn, and tells how long after its writing each word came. */
async function listen(client: Client, modelId: string, text: string, answer: PacedAnswer): Promise<number[]> {
  const times: number[] = [];
  const { status, error } = await client.runTurn({
    text,
    conversationId: randomUUID(),
    modelId,
    onFrame: ({ message: { message } }) => {
      if (message.case !== 'interactionUpdate' || message.value.message.case !== 'textDelta') return;
      const now = performance.now();
      for (const word of message.value.message.value.text.trim().split(' ')) {
        times.push(now - (answer.written[Number(word)] ?? Number.NaN));
      }
    },
  });
  if (status !== 'finished') throw error;
  return times;
}
