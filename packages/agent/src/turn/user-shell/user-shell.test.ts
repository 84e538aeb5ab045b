import { fromBinary, type MessageInitShape } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { describe, expect, it } from 'vitest';
import { act, actionRequest, textOf } from '../../testing/action-play.ts';
import { startToolTurn, updates } from '../../testing/tool-play.ts';

type Event = MessageInitShape<typeof agent.ShellStreamSchema>['event'];

function start() {
  const played = startToolTurn(
    {},
    actionRequest(
      { case: 'shellCommandAction', value: { shellCommand: { command: 'make' }, execId: 'e1' } },
      { requestedModel: undefined },
    ),
  );
  const id = played.client.execs[0]?.id ?? -1;
  const stream = (event: Event) =>
    played.turn.command({
      case: 'execClientMessage',
      value: { id, message: { case: 'shellStream', value: { event } } },
    });
  const ended = () => {
    played.client.answerAll(played.turn);
    return played.turn.end;
  };
  return { ...played, id, stream, ended };
}

describe('a command of the user', () => {
  it('is run by the client, shown, and recorded as a turn of its own', () => {
    const { turn, client, stream, ended } = start();
    expect(client.execs[0]).toMatchObject({
      execId: 'e1',
      message: { case: 'shellStreamArgs', value: { command: 'make', skipApproval: true } },
    });
    stream({ case: 'start', value: {} });
    stream({ case: 'stdout', value: { data: 'built\n' } });
    stream({ case: 'stderr', value: { data: 'warning\n' } });
    expect(ended()).toBeUndefined();
    stream({ case: 'exit', value: { code: 3 } });
    expect(ended()).toEqual({ kind: 'end', outcome: 'completed' });
    const shown = updates(turn).flatMap((update) =>
      update.case === 'shellOutputDelta' ? [update.value.event.case] : [],
    );
    expect(shown).toEqual(['start', 'stdout', 'stderr', 'exit']);
    expect(turn.state.modelCalls).toBe(0);
    expect(textOf(client.transcript().at(-1))).toBe(
      '<user_command>\n$ make\nbuilt\nwarning\n\n[Exit code 3]\n</user_command>',
    );
    const id = client.checkpoint?.turns.at(-1) ?? new Uint8Array();
    const { turn: recorded } = fromBinary(agent.ConversationTurnStructureSchema, client.blob(id));
    if (recorded.case !== 'shellConversationTurn') throw new Error('no shell turn');
    expect(fromBinary(agent.ShellCommandSchema, client.blob(recorded.value.shellCommand)).command).toBe(
      'make',
    );
    expect(fromBinary(agent.ShellOutputSchema, client.blob(recorded.value.shellOutput))).toMatchObject({
      stdout: 'built\n',
      stderr: 'warning\n',
      exitCode: 3,
    });
  });

  it.each<[string, (played: ReturnType<typeof start>) => void, string]>([
    [
      'throws',
      ({ turn, id }) => turn.command(control({ case: 'throw', value: { id, error: 'x' } })),
      'not do it',
    ],
    [
      'closes without an end',
      ({ turn, id }) => turn.command(control({ case: 'streamClose', value: { id } })),
      'without an answer',
    ],
    ['is too slow', ({ turn }) => turn.expire('user_shell'), 'in time'],
    ['does not allow it', ({ stream }) => stream({ case: 'rejected', value: {} }), 'not allowed'],
    ['loses its attempt', ({ turn }) => turn.attempt(actionRequest(undefined), 'r2'), 'outcome unknown'],
  ])('ends, and says why, when the client %s', (_, fault, said) => {
    const played = start();
    fault(played);
    expect(played.ended()?.outcome ?? 'open').toMatch(/completed|open/);
    played.client.answerAll(played.turn);
    played.turn.expire('ending');
    played.client.answerAll(played.turn);
    expect(played.turn.end?.outcome).toBe('completed');
    expect(textOf(played.client.transcript().at(-1))).toContain(said);
  });

  it('is stopped by a cancel, and what it printed is kept', () => {
    const { turn, client, id, stream } = start();
    stream({ case: 'stdout', value: { data: 'half' } });
    act(turn, { case: 'cancelAction', value: {} });
    client.answerAll(turn);
    expect(client.aborted).toEqual([id]);
    turn.expire('ending');
    client.answerAll(turn);
    expect(turn.end?.outcome).toBe('canceled');
    expect(textOf(client.transcript().at(-1))).toContain('half');
  });

  it('is still waited for after a takeover', () => {
    const { turn, client, stream, ended } = start();
    stream({ case: 'stdout', value: { data: 'half' } });
    turn.takeOver();
    client.read(turn);
    expect(client.execs).toHaveLength(1);
    stream({ case: 'exit', value: { code: 0 } });
    expect(ended()?.outcome).toBe('completed');
  });
});

function control(message: MessageInitShape<typeof agent.ExecClientControlMessageSchema>['message']) {
  return { case: 'execClientControlMessage', value: { message } } as const;
}
