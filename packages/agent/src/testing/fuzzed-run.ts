import { create } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import type { ModelEvent } from '../model/port.ts';
import { ACTIONS, decodeMutated, EXEC_ANSWERS, mutated, PREWARM, withAction } from './fuzz-messages.ts';
import { mutateFields, type Random } from './mutate.ts';
import { runRequest } from './test-client.ts';
import { type ClientMessage, TestTurn } from './test-turn.ts';
import { call, finish, ToolClient } from './tool-play.ts';

/** One run with a client that says what it should only now and then. */
export class FuzzedRun {
  readonly turn = new TestTurn();
  readonly client = new FuzzedClient();
  readonly #random: Random;
  /** Client messages that were mutated, and of them those that could not be decoded. */
  mutated = 0;
  malformed = 0;

  constructor(random: Random) {
    this.#random = random;
    const opening = random(8);
    if (opening === 0) this.#send(PREWARM);
    else if (opening === 1) this.#send(withAction(ACTIONS[random(ACTIONS.length)]));
    else if (opening === 2) this.turn.command(PREWARM);
    else this.turn.command(runRequest('hello'));
    this.turn.input({ type: 'activated' });
  }

  /** Does one of the things that may happen. */
  step(): void {
    const { turn, client } = this;
    client.read(turn);
    const kind = this.#random(20);
    if (kind < 11) this.#send(this.#message());
    else if (kind < 13) client.answerAll(turn);
    else if (kind < 17) this.#model();
    else if (kind === 17) this.#timer();
    else if (kind === 18) this.#attempt();
    else turn.takeOver();
  }

  /** The client comes to its senses, and the user stops the turn: it has to end. */
  finish(): void {
    const { turn, client } = this;
    turn.command({ case: 'conversationAction', value: { action: { case: 'cancelAction', value: {} } } });
    client.answerAll(turn);
    for (const name of ['ending', 'blobs', 'ending']) if (!turn.end) turn.expire(name);
  }

  #message(): ClientMessage {
    const { client } = this;
    const random = this.#random;
    const exec = client.execs[random(client.execs.length)];
    const kind = random(6);
    if (kind === 0 && client.answers.length > 0) {
      const [answer] = client.answers.splice(random(client.answers.length), 1);
      if (answer) return answer.message;
    }
    if (kind === 1 && exec) {
      const message = EXEC_ANSWERS[random(EXEC_ANSWERS.length)];
      return { case: 'execClientMessage', value: { id: exec.id, message } };
    }
    if (kind === 2 && exec) {
      const message = { case: 'throw', value: { id: exec.id, error: 'x' } } as const;
      return { case: 'execClientControlMessage', value: { message } };
    }
    if (kind === 3) return { case: 'conversationAction', value: { action: ACTIONS[random(ACTIONS.length)] } };
    if (kind === 4) return withAction(ACTIONS[random(ACTIONS.length)]);
    return {
      case: 'interactionResponse',
      value: { id: random(3), result: { case: 'createPlanRequestResponse', value: {} } },
    };
  }

  #send(message: ClientMessage): void {
    this.mutated += 1;
    const decoded = decodeMutated(mutated(message, this.#random));
    // A gateway refuses what is not even a message; it changes nothing.
    if (decoded) this.turn.command(decoded.message);
    else this.malformed += 1;
  }

  #model(): void {
    const { turn } = this;
    const number = turn.state.modelCalls;
    for (const event of MODEL[this.#random(MODEL.length)] ?? []) {
      turn.result({ type: 'model_event', call: number, event });
    }
  }

  #timer(): void {
    const [name] = this.turn.state.process.timers.keys();
    if (name) this.turn.expire(name);
  }

  #attempt(): void {
    const { turn, client } = this;
    const message = create(agent.AgentClientMessageSchema, {
      message: runRequest(undefined, client.checkpoint),
    });
    mutateFields(agent.AgentClientMessageSchema, message, this.#random);
    turn.attempt(message.message, `r${turn.entries.length}`);
    client.answers = [];
    client.execs = [];
  }
}

/** Takes every frame as it is: what it may refer to is no use to check when the client itself is confused. */
class FuzzedClient extends ToolClient {
  override transcript(): [] {
    return [];
  }

  override checkTurn(): void {}
}

const MODEL: readonly (readonly ModelEvent[])[] = [
  [{ type: 'text', text: 'Hello.' }],
  [{ type: 'reasoning', text: 'Hm.' }],
  [{ type: 'reasoning_end' }],
  [finish('stop')],
  [finish('length')],
  [finish('interrupted')],
  [
    ...call('c1', 'read_file', { path: 'a' }),
    ...call('c2', 'write_file', { path: 'b', content: 'x' }),
    finish('tool_calls'),
  ],
  [...call('c1', 'run_command', { command: 'ls' }), finish('tool_calls')],
  [...call('c1', 'search_files', { pattern: 'x' }), finish('tool_calls')],
  [...call('c1', 'edit_file', { path: 'a', old_string: 'x', new_string: 'y' }), finish('stop')],
  [...call('c1', 'fly', '{'), finish('tool_calls')],
  [
    ...call('c1', 'read_file', { path: 'a', offset: 2 ** 31, limit: 2 ** 40 }),
    ...call('c2', 'search_files', { pattern: 'x', context: 2 ** 33 }),
    ...call('c3', 'await_command', { shell_id: 2 ** 32 }),
    finish('tool_calls'),
  ],
  [
    ...call('c1', 'switch_mode', { mode: 'plan' }),
    ...call('c2', 'task', { description: 'x', prompt: 'y' }),
    finish('tool_calls'),
  ],
  [
    ...call('c1', 'update_todos', { todos: [{ id: '1', content: 'x', status: 'pending' }] }),
    finish('tool_calls'),
  ],
];
