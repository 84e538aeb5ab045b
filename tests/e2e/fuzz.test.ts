import { randomInt } from 'node:crypto';
import { MemoryBlobStore, ServerError, type TurnStream } from '@tandem/client';
import { answerKv, encodeMessage } from '@tandem/client/wire';
import type { agent } from '@tandem/proto';
import { readMetric } from '@tandem/test-support/cluster';
import type { Reply } from '@tandem/test-support/provider';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  ACTIONS,
  decodeMutated,
  EXEC_ANSWERS,
  mutated,
  PREWARM,
  withAction,
} from '../../packages/agent/src/testing/fuzz-messages.ts';
import { type Random, seededRandom } from '../../packages/agent/src/testing/mutate.ts';
import type { ClientMessage } from '../../packages/agent/src/testing/test-turn.ts';
import { type System, startSystem } from './harness/system.ts';

const TURNS = 200;
const MESSAGES = 50;
const AT_ONCE = 20;

let system: System;
beforeAll(async () => {
  system = await startSystem({ gateways: 2, workers: 2 });
});
afterAll(() => system?.[Symbol.asyncDispose]());

test('10,000 mutated messages to live turns: each is answered, each turn ends, nobody else notices', async () => {
  const seed = randomInt(2 ** 31);
  const random = seededRandom(seed);
  const { provider, sdk, cluster } = system;
  provider.script('scripted', () => ANSWERS[random(ANSWERS.length)]);
  provider.script('scripted-claude', ({ lastUserText }) => ({
    steps: [{ type: 'text', text: /undisturbed \d+/.exec(lastUserText)?.[0] ?? lastUserText }],
  }));

  let left = TURNS;
  const outcomes = new Map<string, number>();
  const lane = async () => {
    while (left-- > 0) {
      const turn = await FuzzedTurn.open(random);
      for (let count = 0; count < MESSAGES; count++) await turn.sendMutated();
      const outcome = await turn.finish();
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  };
  const lanes = Promise.all(Array.from({ length: AT_ONCE }, lane));
  let fuzzing = true;
  const over = lanes.finally(() => {
    fuzzing = false;
  });
  const bystander = await sdk.create({ model: 'scripted-claude' });
  for (let number = 0; fuzzing || number === 0; number++) {
    const { status, result } = await bystander.say(`undisturbed ${number}`);
    expect({ seed, status, result }).toEqual({ seed, status: 'finished', result: `undisturbed ${number}` });
  }
  await over;

  expect([...outcomes.keys()], `seed ${seed}`).not.toContain('internal');
  expect(outcomes.size, `seed ${seed}: ${[...outcomes]}`).toBeGreaterThan(2);
  for (const worker of cluster.workers)
    expect(await readMetric(worker.url, 'tandem_turn_faults_total')).toBe(0);
  for (const node of [...cluster.gateways, ...cluster.workers])
    expect(node.output(), `seed ${seed}`).not.toMatch(/"level":"(error|fatal)"|"level":[56]0/);
}, 240_000);

/** A turn whose client means well with blobs, and says anything else that comes to its mind. */
class FuzzedTurn {
  readonly #random: Random;
  readonly #stream: TurnStream;
  readonly #execs: number[] = [];
  readonly #blobs = new MemoryBlobStore();
  readonly #over: Promise<string>;
  #seqno = 0;
  /** Appends go out one after another: one that is refused must not leave a gap. */
  #last: Promise<unknown> = Promise.resolve();

  private constructor(random: Random, stream: TurnStream) {
    this.#random = random;
    this.#stream = stream;
    this.#over = this.#read();
  }

  static async open(random: Random): Promise<FuzzedTurn> {
    const { client } = system;
    const turn = new FuzzedTurn(random, await client.openTurn({ binary: true }));
    if (random(4) === 0) await turn.sendMutated();
    await turn.#say(withAction(ACTIONS[random(2) && random(ACTIONS.length)]));
    return turn;
  }

  /** Sends something that may or may not be a message; it is stored, or refused with a reason. */
  async sendMutated(): Promise<void> {
    await this.#append(mutated(this.#anything(), this.#random));
  }

  /** The user stops the turn. @returns how it ended: the reason that its client is given */
  async finish(): Promise<string> {
    await this.#say({ case: 'conversationAction', value: { action: { case: 'cancelAction', value: {} } } });
    const outcome = await this.#over;
    await this.#last;
    return outcome;
  }

  #anything(): ClientMessage {
    const random = this.#random;
    const id = this.#execs[random(this.#execs.length)] ?? random(5);
    switch (random(8)) {
      case 0:
      case 1:
        return {
          case: 'execClientMessage',
          value: { id, message: EXEC_ANSWERS[random(EXEC_ANSWERS.length)] },
        };
      case 2:
        return {
          case: 'execClientControlMessage',
          value: { message: { case: 'throw', value: { id, error: 'x' } } },
        };
      case 3:
        return { case: 'conversationAction', value: { action: ACTIONS[random(ACTIONS.length)] } };
      case 4:
        return withAction(ACTIONS[random(ACTIONS.length)]);
      case 5:
        return { case: 'kvClientMessage', value: { id, message: { case: 'setBlobResult', value: {} } } };
      case 6:
        return PREWARM;
      default:
        return {
          case: 'interactionResponse',
          value: { id, result: { case: 'askQuestionInteractionResponse', value: {} } },
        };
    }
  }

  async #read(): Promise<string> {
    try {
      for await (const { message } of this.#stream.events) await this.#take(message.message);
      return 'well';
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      expect(error.message).toMatch(/\.$/);
      return error.code;
    }
  }

  async #take(message: agent.AgentServerMessage['message']): Promise<void> {
    if (message.case === 'execServerMessage') this.#execs.push(message.value.id);
    if (message.case !== 'kvServerMessage') return;
    const value = await answerKv(message.value, this.#blobs);
    if (value) void this.#say({ case: 'kvClientMessage', value });
  }

  #say(message: ClientMessage): Promise<void> {
    return this.#append(encodeMessage({ message }));
  }

  #append(bytes: Uint8Array): Promise<void> {
    const done = this.#last.then(() => this.#post(bytes));
    this.#last = done;
    return done;
  }

  async #post(bytes: Uint8Array): Promise<void> {
    try {
      await this.#stream.appendAs(this.#seqno, bytes);
      this.#seqno += 1;
    } catch (error) {
      expect(error).toMatchObject({
        httpStatus: 400,
        code: 'invalid_argument',
        message: expect.stringMatching(/\.$/),
      });
      // It was no message, or of no kind that is known.
      expect(decodeMutated(bytes)?.message.case).toBeUndefined();
    }
  }
}

const call = (id: string, name: string, input: object) =>
  ({ type: 'tool_call', id, name, arguments: JSON.stringify(input) }) as const;

/** What the model says next, whatever it was told. */
const ANSWERS: readonly Reply[] = [
  { steps: [{ type: 'text', text: 'Hello.' }] },
  { steps: [call('c1', 'read_file', { path: 'a' }), call('c2', 'write_file', { path: 'b', content: 'x' })] },
  { steps: [{ type: 'text', text: 'Now.' }, call('c1', 'run_command', { command: 'ls' })] },
  { steps: [call('c1', 'ask_question', { questions: [{ prompt: 'Which?', options: ['a', 'b'] }] })] },
  { steps: [call('c1', 'fly', {})] },
  { steps: [{ type: 'text', text: 'Cut' }, { type: 'end' }] },
];
