import type { MessageInitShape } from '@bufbuild/protobuf';
import type { agent } from '@tandem/proto';
import type { ModelEvent } from '../model/port.ts';
import { runRequest, TestClient } from './test-client.ts';
import { TestTurn, type TestTurnOptions } from './test-turn.ts';

export type ExecAnswer = MessageInitShape<typeof agent.ExecClientMessageSchema>['message'];

const USAGE = {
  inputTokens: 1,
  outputTokens: 1,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};
export const finish = (reason: Extract<ModelEvent, { type: 'finish' }>['reason']): ModelEvent => ({
  type: 'finish',
  reason,
  usage: USAGE,
  deployment: '',
});

/** A client whose execs the test answers by hand. */
export class ToolClient extends TestClient {
  execs: agent.ExecServerMessage[] = [];
  queries: agent.InteractionQuery[] = [];
  aborted: number[] = [];

  override answerExec(exec: agent.ExecServerMessage): void {
    if (exec.message.case === 'requestContextArgs') super.answerExec(exec);
    else this.execs.push(exec);
  }

  override answerQuery(query: agent.InteractionQuery): void {
    this.queries.push(query);
  }

  override abortExec(id: number): void {
    this.aborted.push(id);
  }
}

export function call(id: string, name: string, input: unknown): ModelEvent[] {
  const json = typeof input === 'string' ? input : JSON.stringify(input);
  return [
    { type: 'tool_input_start', id, name },
    { type: 'tool_input_delta', id, delta: json },
    { type: 'tool_call', id, name, input: json },
  ];
}

export function startToolTurn(
  options: TestTurnOptions & { readonly context?: agent.RequestContext } = {},
  request = runRequest('hello'),
) {
  const turn = new TestTurn(options);
  const client = new ToolClient();
  if (options.context) client.context = options.context;
  turn.command(request);
  turn.input({ type: 'activated' });
  client.answerAll(turn);
  const say = (...events: ModelEvent[]) => {
    for (const event of events) turn.result({ type: 'model_event', call: turn.state.modelCalls, event });
    client.read(turn);
  };
  const answer = (id: number, message: ExecAnswer) => {
    turn.command({ case: 'execClientMessage', value: { id, message } });
    turn.command({
      case: 'execClientControlMessage',
      value: { message: { case: 'streamClose', value: { id } } },
    });
    client.read(turn);
  };
  /** Answers the query that was put last. */
  const reply = (result: MessageInitShape<typeof agent.InteractionResponseSchema>['result']) => {
    const id = client.queries.at(-1)?.id ?? -1;
    turn.command({ case: 'interactionResponse', value: { id, result } });
    client.read(turn);
  };
  return { turn, client, say, answer, reply };
}

export const content = (value: string): ExecAnswer => ({
  case: 'readResult',
  value: { result: { case: 'success', value: { path: 'a', output: { case: 'content', value } } } },
});
export const WRITTEN: ExecAnswer = {
  case: 'writeResult',
  value: { result: { case: 'success', value: { path: 'a' } } },
};

export function updates(turn: TestTurn): agent.InteractionUpdate['message'][] {
  return turn
    .frames()
    .flatMap(({ message: { message } }) =>
      message.case === 'interactionUpdate' ? [message.value.message] : [],
    );
}
