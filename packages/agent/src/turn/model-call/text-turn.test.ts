import type { agent } from '@tandem/proto';
import { describe, expect, it } from 'vitest';
import { encodeMessage } from '../../model/message-json.ts';
import type { ModelEvent } from '../../model/port.ts';
import { runRequest, TestClient } from '../../testing/test-client.ts';
import { TestTurn } from '../../testing/test-turn.ts';

const USAGE = {
  inputTokens: 10,
  outputTokens: 5,
  cacheReadTokens: 2,
  cacheWriteTokens: 1,
  reasoningTokens: 3,
};
const text = (value: string): ModelEvent => ({ type: 'text', text: value });
const finish = (reason: Extract<ModelEvent, { type: 'finish' }>['reason']): ModelEvent => ({
  type: 'finish',
  reason,
  usage: USAGE,
  deployment: 'd1',
});

/** Brings a turn to its first model call. */
function started(turn = new TestTurn(), client = new TestClient(), request = runRequest('hello')) {
  turn.command(request);
  turn.input({ type: 'activated' });
  client.answerAll(turn);
  return { turn, client };
}

function yields(turn: TestTurn, ...events: ModelEvent[]): void {
  for (const event of events) turn.result({ type: 'model_event', call: turn.state.modelCalls, event });
}

/** Names of what clients were shown, blob traffic left out. */
function shown(turn: TestTurn): (string | undefined)[] {
  return turn.frames().flatMap(({ message }) => {
    if (message.message.case === 'kvServerMessage') return [];
    if (message.message.case === 'interactionUpdate') return [message.message.value.message.case];
    return [message.message.case];
  });
}

describe('a first turn', () => {
  it('asks for context, calls the model, and ends in the order that clients rely on', () => {
    const { turn, client } = started();
    expect(turn.take('activate_conversation')).toMatchObject([{ conversationId: 'c1' }]);
    const [call] = turn.take('model_call');
    expect(call?.request.messages).toMatchObject([
      { role: 'system' },
      { role: 'user', content: [{ text: expect.stringContaining('linux 6') }, { text: 'hello' }] },
    ]);
    yields(turn, { type: 'reasoning', text: 'hm' });
    turn.now += 70;
    yields(turn, { type: 'reasoning_end' }, text('Hi'), text(' there'), finish('stop'));
    expect(turn.end).toBeUndefined();
    client.answerAll(turn);
    expect(shown(turn)).toEqual([
      'execServerMessage',
      'stepStarted',
      'conversationCheckpointUpdate',
      'thinkingDelta',
      'thinkingCompleted',
      'textDelta',
      'textDelta',
      'stepCompleted',
      'turnEnded',
      'conversationCheckpointUpdate',
    ]);
    expect(turn.end).toEqual({ kind: 'end', outcome: 'completed' });
    expect(client.text).toBe('Hi there');
    expect(client.turnsEnded).toMatchObject([
      { inputTokens: 10n, outputTokens: 5n, cacheReadTokens: 2n, cacheWriteTokens: 1n, reasoningTokens: 3n },
    ]);
    expect(client.checkpoint).toMatchObject({
      pendingToolCalls: [],
      tokenDetails: { usedTokens: 18, maxTokens: 1000 },
    });
    expect(client.transcript().at(-1)).toEqual({
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'Hi there' },
      ],
    });
    expect(client.lastTurn()).toMatchObject({
      userMessage: { text: 'hello' },
      steps: [
        { message: { case: 'thinkingMessage', value: { text: 'hm', durationMs: 70 } } },
        { message: { case: 'assistantMessage', value: { text: 'Hi there' } } },
      ],
    });
  });

  it('waits for its place in the conversation', () => {
    const turn = new TestTurn();
    const client = new TestClient();
    turn.command(runRequest('hello'));
    client.answerAll(turn);
    expect(turn.take('model_call')).toEqual([]);
    turn.input({ type: 'activated' });
    expect(turn.take('model_call')).toHaveLength(1);
  });

  it('goes on without a context that does not come', () => {
    const turn = new TestTurn();
    turn.command(runRequest('hello'));
    turn.input({ type: 'activated' });
    expect(turn.take('set_timer')).toMatchObject([{ name: 'request_context', ms: 10_000 }]);
    turn.expire('request_context');
    const [call] = turn.take('model_call');
    expect(call?.request.messages.at(-1)).toEqual({
      role: 'user',
      content: [{ type: 'text', text: 'hello' }],
    });
  });

  it.each([
    ['a throw', { case: 'throw', value: { id: 0, error: 'x' } }],
    ['a close without an answer', { case: 'streamClose', value: { id: 0 } }],
  ] as const)('takes %s for no context', (_, message) => {
    const turn = new TestTurn();
    turn.command(runRequest('hello'));
    turn.input({ type: 'activated' });
    turn.command({ case: 'execClientControlMessage', value: { message } });
    expect(turn.take('model_call')).toHaveLength(1);
  });
});

describe('a later turn', () => {
  it.each([
    ['with the blob cache', new Uint8Array(32)],
    ['without', undefined],
  ])('extends the transcript, %s', (_, key) => {
    const { turn: first, client } = started(new TestTurn({ key }));
    const [call] = first.take('model_call');
    yields(first, text('Hi'), finish('stop'));
    client.answerAll(first);
    const cached = new Map(
      first.take('cache_blobs').flatMap(({ blobs }) => blobs.map(({ id, data }) => [id, data] as const)),
    );
    expect(cached.size > 0).toBe(key !== undefined);

    const second = new TestTurn({ requestId: 'r2', key });
    client.readFrom(undefined);
    second.command(runRequest('and now?', client.checkpoint));
    second.input({ type: 'activated' });
    for (const { ids } of second.take('load_blobs')) {
      const found = new Map(
        ids.flatMap((id) => (cached.has(id) ? [[id, cached.get(id) ?? new Uint8Array()] as const] : [])),
      );
      second.result({ type: 'blobs_loaded', found, missing: ids.filter((id) => !found.has(id)) });
    }
    client.answerAll(second);
    const gets = second
      .frames()
      .filter(
        ({ message: { message } }) =>
          message.case === 'kvServerMessage' && message.value.message.case === 'getBlobArgs',
      );
    expect(gets).toHaveLength(key ? 0 : 3);
    const [next] = second.take('model_call');
    const before = JSON.stringify(call?.request.messages).slice(0, -1);
    expect(JSON.stringify(next?.request.messages).startsWith(before)).toBe(true);
    expect(next?.request.messages.slice(2)).toEqual([
      { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'user', content: [{ type: 'text', text: 'and now?' }] },
    ]);
    yields(second, text('Yes'), finish('stop'));
    client.answerAll(second);
    expect(client.checkpoint?.turns).toHaveLength(2);
    expect(client.transcript()).toHaveLength(5);
  });

  it('tells news of the context, and only those', () => {
    const { turn: first, client } = started();
    yields(first, text('Hi'), finish('stop'));
    client.answerAll(first);
    client.context = { ...client.context, hooksAdditionalContext: 'be nice' };
    client.readFrom(undefined);
    const { turn } = started(new TestTurn(), client, runRequest('more', client.checkpoint));
    expect(turn.take('model_call')[0]?.request.messages.at(-1)).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: '<additional_context>\nbe nice\n</additional_context>' },
        { type: 'text', text: 'more' },
      ],
    });
  });

  it('carries over what it does not know of a checkpoint', () => {
    const { turn: first, client } = started();
    yields(first, text('Hi'), finish('stop'));
    client.answerAll(first);
    const brought = {
      ...(client.checkpoint as agent.ConversationStateStructure),
      activeBranchName: 'b',
      selfSummaryCount: 7,
    };
    client.readFrom(undefined);
    const { turn } = started(new TestTurn(), client, runRequest('more', brought));
    yields(turn, text('x'), finish('stop'));
    client.answerAll(turn);
    expect(client.checkpoint).toMatchObject({ activeBranchName: 'b', selfSummaryCount: 7 });
  });

  it.each([
    ['is missing', (client: TestClient) => client.blobs.clear()],
    [
      'is another',
      (client: TestClient) => {
        for (const id of client.blobs.keys())
          client.blobs.set(id, encodeMessage({ role: 'system', content: 'x' }));
      },
    ],
  ])('fails clearly when a part of the conversation %s', (_, spoil) => {
    const { turn: first, client } = started();
    yields(first, text('Hi'), finish('stop'));
    client.answerAll(first);
    const { checkpoint } = client;
    spoil(client);
    client.readFrom(undefined);
    const turn = new TestTurn();
    turn.command(runRequest('more', checkpoint));
    expect(() => client.answerAll(turn)).not.toThrow();
    expect(turn.end?.error).toMatchObject({ reason: 'blob_missing', retryable: false });
    expect(turn.take('model_call')).toEqual([]);
  });

  it('fails clearly when a part of the conversation has no id', () => {
    const { turn: first, client } = started();
    yields(first, text('Hi'), finish('stop'));
    client.answerAll(first);
    const checkpoint = client.checkpoint as agent.ConversationStateStructure;
    const [, ...others] = checkpoint.rootPromptMessagesJson;
    client.readFrom(undefined);
    const turn = new TestTurn();
    const spoilt = { ...checkpoint, rootPromptMessagesJson: [new Uint8Array(), ...others] };
    turn.command(runRequest('more', spoilt));
    expect(() => client.answerAll(turn)).not.toThrow();
    expect(turn.end?.error).toMatchObject({ reason: 'blob_missing', retryable: false });
  });
});

describe('a request that cannot be served', () => {
  it.each([
    [
      'an unknown model',
      runRequest('x', undefined, { requestedModel: { modelId: 'gpt-0' } }),
      'model_not_found',
    ],
    ['no model', runRequest('x', undefined, { requestedModel: undefined }), 'model_missing'],
    ['no action', runRequest('x', undefined, { action: {} }), 'unsupported'],
    [
      'another action',
      runRequest('x', undefined, { action: { action: { case: 'summarizeAction', value: {} } } }),
      'unsupported',
    ],
    ['nothing to resume', runRequest(undefined), 'bad_request'],
    ['no request', { case: 'clientHeartbeat', value: {} } as const, 'unsupported'],
  ])('ends at once: %s', (_, request, reason) => {
    const turn = new TestTurn();
    turn.command(request);
    expect(turn.end).toMatchObject({ outcome: 'failed', error: { reason, retryable: false } });
    expect(turn.frames()).toEqual([]);
  });
});
