import type { MessageInitShape } from '@bufbuild/protobuf';
import type { agent } from '@tandem/proto';
import { describe, expect, it } from 'vitest';
import { runRequest } from '../../testing/test-client.ts';
import { TestTurn } from '../../testing/test-turn.ts';
import { call, content, finish, startToolTurn, updates } from '../../testing/tool-play.ts';

const READ = [...call('c1', 'read_file', { path: 'a' }), finish('tool_calls')];

type Payload = MessageInitShape<typeof agent.InjectContextActionSchema>['payload'];
const user = (text: string): Payload => ({
  case: 'userContext',
  value: { userMessage: { text, messageId: `m-${text}` } },
});

function inject(turn: TestTurn, injectionId: string, payload: Payload, expectedRunId = ''): void {
  turn.command({
    case: 'conversationAction',
    value: { action: { case: 'injectContextAction', value: { injectionId, expectedRunId, payload } } },
  });
}

function fates(turn: TestTurn): string[] {
  return updates(turn).flatMap((update) =>
    update.case === 'contextInjectionState'
      ? [`${update.value.injectionId} ${update.value.state?.state.case}`]
      : [],
  );
}

const lastRequest = (turn: TestTurn) => turn.take('model_call').at(-1)?.request;

describe('a message that is sent while the turn runs', () => {
  it('is queued, then delivered with the next model call, and shown', () => {
    const { turn, client, say, answer } = startToolTurn();
    say(...READ);
    inject(turn, 'i1', user('rather b'));
    expect(fates(turn)).toEqual(['i1 queued']);
    turn.take('model_call');
    answer(client.execs[0]?.id ?? -1, content('A'));
    expect(lastRequest(turn)?.messages.slice(-3)).toMatchObject([
      { role: 'assistant' },
      { role: 'tool' },
      { role: 'user', content: [{ text: 'rather b' }] },
    ]);
    expect(fates(turn)).toEqual(['i1 queued', 'i1 delivered']);
    const shown = updates(turn).filter((update) => update.case === 'userMessageAppended');
    expect(shown).toMatchObject([{ value: { userMessage: { text: 'rather b' } } }]);
  });

  it('lets a turn go on that would have ended, and is a turn of its own in the history', () => {
    const { turn, client, say } = startToolTurn();
    inject(turn, 'i1', user('and?'));
    say({ type: 'text', text: 'First.' }, finish('stop'));
    expect(lastRequest(turn)?.messages.at(-1)).toMatchObject({ content: [{ text: 'and?' }] });
    say({ type: 'text', text: 'Second.' }, finish('stop'));
    client.answerAll(turn);
    expect(turn.end).toEqual({ kind: 'end', outcome: 'completed' });
    expect(client.turnsEnded).toHaveLength(1);
    expect(client.checkpoint?.turns).toHaveLength(2);
    expect(client.lastTurn()).toMatchObject({
      userMessage: { text: 'and?' },
      steps: [{ message: { value: { text: 'Second.' } } }],
    });
    expect(client.transcript().slice(2)).toMatchObject([
      { content: [{ text: 'First.' }] },
      { content: [{ text: 'and?' }] },
      { content: [{ text: 'Second.' }] },
    ]);
  });

  it('replaces the resumed turn once, however many follow', () => {
    const { turn: first, client, say } = startToolTurn();
    say({ type: 'text', text: 'Half' });
    first.command({ case: 'conversationAction', value: { action: { case: 'cancelAction', value: {} } } });
    client.answerAll(first);
    const turn = new TestTurn({ requestId: 'r2' });
    client.readFrom(undefined);
    turn.command(runRequest(undefined, client.checkpoint));
    turn.input({ type: 'activated' });
    client.answerAll(turn);
    inject(turn, 'i1', user('more'));
    turn.result({ type: 'model_event', call: 1, event: finish('stop') });
    turn.result({ type: 'model_event', call: 2, event: finish('stop') });
    client.answerAll(turn);
    expect(turn.end?.outcome).toBe('completed');
    expect(client.checkpoint?.turns).toHaveLength(2);
  });

  it('is rejected when it is meant for another run, empty or repeated under another text', () => {
    const { turn } = startToolTurn({}, runRequest('hello', undefined, { runId: 'run1' }));
    inject(turn, 'i1', user('x'), 'run2');
    inject(turn, 'i2', { case: undefined });
    inject(turn, 'i3', user('y'), 'run1');
    expect(fates(turn)).toEqual(['i1 rejected', 'i2 rejected', 'i3 queued']);
    inject(turn, 'i3', user('y'), 'run1');
    expect(turn.state.queued).toHaveLength(1);
  });

  it('is delivered once, also when it is sent again afterwards', () => {
    const { turn, say } = startToolTurn();
    inject(turn, 'i1', user('x'));
    say(finish('stop'));
    inject(turn, 'i1', user('x'));
    expect(fates(turn)).toEqual(['i1 queued', 'i1 delivered', 'i1 delivered']);
    expect(turn.state.queued).toEqual([]);
  });

  it('goes back to the client when the turn ends first', () => {
    const { turn, client, say } = startToolTurn();
    inject(turn, 'i1', user('x'));
    say({ type: 'text', text: 'Well' }, finish('content_filter'));
    inject(turn, 'i2', user('y'));
    client.answerAll(turn);
    expect(fates(turn)).toEqual(['i1 queued', 'i1 queuedForNextTurn', 'i2 queuedForNextTurn']);
    expect(turn.end?.outcome).toBe('failed');
  });

  it('is cancelled with the turn', () => {
    const { turn } = startToolTurn();
    inject(turn, 'i1', user('x'));
    turn.command({ case: 'conversationAction', value: { action: { case: 'cancelAction', value: {} } } });
    expect(fates(turn)).toEqual(['i1 queued', 'i1 cancelled']);
  });

  it('may come from the surroundings, which nobody is shown', () => {
    const { turn, say } = startToolTurn();
    inject(turn, 'i1', { case: 'systemContext', value: { producer: 'ci', content: 'Build failed.' } });
    say(finish('stop'));
    const [, request] = turn.take('model_call');
    expect(request?.request.messages.at(-1)).toMatchObject({
      content: [{ text: expect.stringContaining('Build failed.') }],
    });
    expect(updates(turn).some((update) => update.case === 'userMessageAppended')).toBe(false);
  });

  it('waits for the blobs that it refers to', () => {
    const { turn, client, say } = startToolTurn();
    const textBlobId = client.keep(new TextEncoder().encode('a long text'));
    inject(turn, 'i1', { case: 'userContext', value: { userMessage: { textBlobId } } });
    turn.take('model_call');
    say(finish('stop'));
    expect(turn.take('model_call')).toEqual([]);
    client.answerAll(turn);
    expect(lastRequest(turn)?.messages.at(-1)).toMatchObject({ content: [{ text: 'a long text' }] });
  });

  it('survives a takeover before it is delivered', () => {
    const { turn, say } = startToolTurn();
    inject(turn, 'i1', user('x'));
    turn.takeOver();
    expect(lastRequest(turn)?.messages.at(-1)).toMatchObject({ content: [{ text: 'x' }] });
    say(finish('stop'));
    expect(fates(turn)).toEqual(['i1 queued', 'i1 delivered']);
  });
});

it('tells the model of a background task that ends while the turn runs', () => {
  const { turn, client, say, answer } = startToolTurn();
  say(...READ);
  turn.command({
    case: 'conversationAction',
    value: {
      action: {
        case: 'backgroundTaskCompletionAction',
        value: { completions: [{ taskId: '7', status: 1, kind: 1, detail: 'All green.' }] },
      },
    },
  });
  turn.take('model_call');
  answer(client.execs[0]?.id ?? -1, content('A'));
  expect(lastRequest(turn)?.messages.at(-1)).toMatchObject({
    content: [{ text: expect.stringContaining('All green.') }],
  });
  expect(turn.state.queued).toEqual([]);
});
