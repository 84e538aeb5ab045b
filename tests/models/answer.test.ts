import type { Step } from '@tandem/test-support/provider';
import { afterEach, describe, expect, it } from 'vitest';
import { FAMILIES, GEMINI_WORDS } from './families.ts';
import { callsOf, collect, type Rig, reasonOf, startRig, textOf } from './harness.ts';

let rig: Rig;
afterEach(() => rig.close());

const KEY_HEADERS: Record<string, string> = {
  anthropic: 'x-api-key',
  azure: 'api-key',
  google: 'x-goog-api-key',
};

/** A connection that brings an answer byte by byte. */
const byteByByte: typeof globalThis.fetch = async (input, init) => {
  const response = await fetch(input, init);
  const bytes = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      for (const byte of chunk) controller.enqueue(Uint8Array.of(byte));
    },
  });
  const { status, headers } = response;
  return new Response(response.body?.pipeThrough(bytes), { status, headers });
};

describe.each(FAMILIES)('%s', (_, deployment, words) => {
  const name = deployment.provider;
  const cacheWrite = name === 'anthropic' || name === 'bedrock' ? 7 : 0;
  const reasoning = name === 'anthropic' || name === 'bedrock' ? 0 : 2;
  const answer = async (...steps: Step[]) => {
    rig = await startRig([deployment]);
    rig.provider.script('m', { steps });
    return collect(rig);
  };

  it('streams text and ends with the provider’s own usage', async () => {
    const events = await answer(
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
      {
        type: 'usage',
        input: 10,
        output: 5,
        cacheRead: 100,
        cacheWrite,
        reasoning,
      },
    );
    expect(events).toEqual([
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
      {
        type: 'finish',
        reason: 'stop',
        deployment: `${name}/m`,
        usage: {
          inputTokens: 10,
          outputTokens: 5,
          cacheReadTokens: 100,
          cacheWriteTokens: cacheWrite,
          reasoningTokens: reasoning,
        },
      },
    ]);
    const keyHeader = KEY_HEADERS[name] ?? 'authorization';
    expect(rig.provider.requests[0]?.headers[keyHeader]).toContain('sk-secret-key');
    expect(rig.tries).toMatchObject([{ model: 'm', deployment: `${name}/m`, attempt: 1, outcome: 'stop' }]);
  });

  it('says the same when every byte comes by itself', async () => {
    const steps: Step[] = [
      { type: 'reasoning', text: 'Größe ' },
      { type: 'reasoning', text: '🙂' },
      { type: 'signature', signature: 'c2ln' },
      { type: 'text', text: 'naïve – 日本' },
      { type: 'tool_call', id: 'c1', name: 'read', arguments: ['{"path":"ä', '"}'] },
      { type: 'tool_call', id: 'c2', name: 'read', arguments: '{"path":"b"}' },
      { type: 'usage', input: 10, output: 5, cacheRead: 100 },
    ];
    const whole = await answer(...steps);
    await rig.close();
    rig = await startRig([deployment], {}, { fetch: byteByByte });
    rig.provider.script('m', { steps });
    expect(await collect(rig)).toEqual(whole);
    expect(textOf(whole)).toBe('naïve – 日本');
    expect(callsOf(whole)).toEqual([
      ['read', '{"path":"ä"}'],
      ['read', '{"path":"b"}'],
    ]);
    expect(whole.at(-1)).toMatchObject({ reason: 'tool_calls', usage: { cacheReadTokens: 100 } });
  });

  it('streams tool calls as they are written', async () => {
    const events = await answer(
      { type: 'text', text: 'Let me look' },
      { type: 'tool_call', id: 'c1', name: 'read', arguments: ['{"pa', 'th":"1"}'] },
      { type: 'tool_call', id: 'c2', name: 'grep', arguments: '{"pattern":"x"}' },
    );
    expect(events.map(({ type }) => type).filter((type) => type !== 'tool_input_delta')).toEqual(
      words.callsAsTheyEnd
        ? ['text', 'tool_input_start', 'tool_call', 'tool_input_start', 'tool_call', 'finish']
        : ['text', 'tool_input_start', 'tool_input_start', 'tool_call', 'tool_call', 'finish'],
    );
    expect(callsOf(events)).toEqual([
      ['read', '{"path":"1"}'],
      ['grep', '{"pattern":"x"}'],
    ]);
    expect(reasonOf(events)).toBe('tool_calls');
  });

  it.each([
    ['length', words.length],
    ['content_filter', words.filter],
    ['stop', words.stop],
  ])('ends with %s for %s', async (reason, word) => {
    expect(reasonOf(await answer({ type: 'text', text: 'a' }, { type: 'finish', reason: word }))).toBe(
      reason,
    );
  });

  it('ends with an error when the provider reports one after the answer began', async () => {
    const events = await answer(
      { type: 'text', text: 'a' },
      { type: 'error', error: { type: 'overloaded_error', message: 'secret words' } },
      { type: 'end' },
    );
    expect(events).toMatchObject([{ type: 'text' }, { type: 'finish', reason: 'error' }]);
  });

  it('is interrupted when the socket is cut', async () => {
    rig = await startRig([deployment]);
    rig.provider.script('m', {
      steps: [{ type: 'text', text: 'a' }, { type: 'hold', name: 'h' }, { type: 'cut' }],
    });
    const events = [];
    for await (const event of rig.models.call(
      { model: 'm', messages: [], tools: [], parameters: {}, conversationId: 'c' },
      new AbortController().signal,
    )) {
      events.push(event);
      rig.provider.release('h');
    }
    expect(events).toMatchObject([{ type: 'text' }, { type: 'finish', reason: 'interrupted' }]);
  });

  describe('S6: a tool without parameters', () => {
    it.each([
      ['no arguments at all', []],
      ['an empty fragment', ['']],
    ])('is called with {} for %s', async (_, fragments) => {
      const events = await answer({
        type: 'tool_call',
        id: 'toolu_1',
        name: 'list_tasks',
        arguments: fragments,
      });
      expect(callsOf(events)).toEqual([['list_tasks', '{}']]);
      expect(reasonOf(events)).toBe('tool_calls');
    });
  });

  describe('S8: whole calls decide, not the word at the end', () => {
    it.each(words.withCalls)('%s', async (word) => {
      const events = await answer(
        { type: 'text', text: 'Let me look' },
        { type: 'tool_call', id: 'a', name: 'read', arguments: '{"path":"1"}' },
        { type: 'tool_call', id: 'b', name: 'read', arguments: '{"path":"2"}' },
        { type: 'tool_call', id: 'c', name: 'grep', arguments: '{"pattern":"x"}' },
        { type: 'finish', reason: word },
      );
      expect(callsOf(events)).toHaveLength(3);
      expect(reasonOf(events)).toBe('tool_calls');
    });
  });

  describe('S13: a clean end without a word of being complete', () => {
    it('(a, d) keeps the text and says that it was interrupted', async () => {
      const text = (word: string): Step => ({ type: 'text', text: word });
      const events = await answer(text('one '), text('two '), text('three'), { type: 'end' });
      expect(textOf(events)).toBe('one two three');
      expect(reasonOf(events)).toBe('interrupted');
    });

    it('(b) yields no call of a half-received one', async () => {
      const events = await answer(
        { type: 'tool_call', id: 'a', name: 'read', arguments: '{"path":"a' },
        { type: 'end' },
      );
      expect(callsOf(events)).toEqual([]);
      expect(reasonOf(events)).toBe('interrupted');
    });

    it('(c) asks again when nothing came, and then says so', async () => {
      rig = await startRig([{ ...deployment, retries: 1 }]);
      rig.provider.script('m', [{ steps: [{ type: 'end' }] }, { steps: [{ type: 'text', text: 'second' }] }]);
      expect(textOf(await collect(rig))).toBe('second');
      rig.provider.script('m', { steps: [{ type: 'end' }] });
      await expect(collect(rig)).rejects.toMatchObject({ reason: 'provider_interrupted' });
      expect(rig.provider.requests).toHaveLength(4);
    });
  });

  it('S18: passes a call on that was cut by the output limit, but as cut', async () => {
    const events = await answer(
      { type: 'tool_call', id: 'w1', name: 'write', arguments: '{"path":"a.ts","contents":"line1' },
      { type: 'finish', reason: words.length },
    );
    expect(reasonOf(events)).toBe('length');
    // What Gemini cuts is never passed on as a call.
    const cut = [['write', '{"path":"a.ts","contents":"line1']];
    expect(callsOf(events)).toEqual(words === GEMINI_WORDS ? [] : cut);
  });
});

describe('S3: parallel calls that all have index 0', () => {
  const call = (id: string, name: string, args: string) => ({
    index: 0,
    id,
    function: { name, arguments: args },
  });
  const three = (ids: string[]) => [
    call(ids[0] as string, 'read_file', '{"path":"1"}'),
    call(ids[1] as string, 'read_file', '{"path":"2"}'),
    call(ids[2] as string, 'grep', '{"pattern":"x"}'),
  ];
  const chunk = (tool_calls: unknown[]): Step => ({
    type: 'event',
    data: { choices: [{ index: 0, delta: { tool_calls } }] },
  });

  describe.each(FAMILIES.slice(0, 2))('%s', (_, deployment) => {
    it.each([
      ['one a chunk', three(['a', 'b', 'c']).map((one) => chunk([one]))],
      ['ids all empty', three(['', '', '']).map((one) => chunk([one]))],
      ['all in one chunk', [chunk(three(['a', 'b', 'c']))]],
    ])('%s', async (_, steps) => {
      rig = await startRig([deployment]);
      rig.provider.script('m', { steps: [...steps, { type: 'finish', reason: 'stop' }] });
      const events = await collect(rig);
      expect(callsOf(events)).toEqual([
        ['read_file', '{"path":"1"}'],
        ['read_file', '{"path":"2"}'],
        ['grep', '{"pattern":"x"}'],
      ]);
      expect(new Set(events.map((event) => event.type === 'tool_call' && event.id)).size).toBe(4);
      expect(reasonOf(events)).toBe('tool_calls');
    });
  });
});
