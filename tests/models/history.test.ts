import type { ModelCall, ModelMessage } from '@tandem/agent';
import type { Step } from '@tandem/test-support/provider';
import { afterEach, describe, expect, it } from 'vitest';
import { collect, type Rig, startRig, user } from './harness.ts';
import { result, SHOWN, stored, TOOL } from './transcript.ts';

let rig: Rig;
afterEach(() => rig.close());

/** Two turns with a tool call between; resolves with the bodies of the provider's three requests. */
async function conversation(deployment: Parameters<typeof startRig>[0][number], steps: readonly Step[]) {
  rig = await startRig([deployment]);
  rig.provider.script('*', [{ steps }]);
  const messages: ModelMessage[] = [{ role: 'system', content: 'Be brief.' }, user('first')];
  const call = (): Partial<ModelCall> => ({ messages: [...messages], tools: [TOOL] });
  messages.push(stored(await collect(rig, call())), result('c1'));
  messages.push(stored(await collect(rig, call())), user('second'));
  await collect(rig, call());
  return rig.provider.requests.map(({ body }) => ({
    ...body,
    messages: body.input ?? body.contents ?? body.messages,
  }));
}

const withoutMarks = (value: unknown) =>
  JSON.stringify(value, (key, inner) => {
    if (Array.isArray(inner)) return inner.filter((part) => part?.cachePoint === undefined);
    return key === 'cache_control' ? undefined : inner;
  });

describe.each([
  { provider: 'openai-compatible' },
  { provider: 'openai' },
  { provider: 'openai', api: 'responses', model: 'gpt-5.6' },
  { provider: 'azure', model: 'gpt-5.6' },
  { provider: 'azure', apiVersion: '2024-10-21' },
  { provider: 'anthropic' },
  { provider: 'google', model: 'gemini-3-pro-preview' },
  { provider: 'google-vertex', model: 'gemini-3-pro-preview' },
  { provider: 'bedrock', model: 'eu.anthropic.claude-sonnet-5-5-v1:0' },
] as const)('%o', (deployment) => {
  it('is sent each message again unchanged, byte for byte', async () => {
    const bodies = await conversation(deployment, [
      { type: 'reasoning', text: 'think' },
      { type: 'signature', signature: 'sig' },
      { type: 'text', text: 'Looking.' },
      { type: 'tool_call', id: 'c1', name: 'read', arguments: '{ "n": 1.0 }' },
    ]);
    const sent = bodies.map(({ messages }) => messages.map(withoutMarks));
    expect(sent[1]?.slice(0, sent[0]?.length)).toEqual(sent[0]);
    expect(sent[2]?.slice(0, sent[1]?.length)).toEqual(sent[1]);
    expect(withoutMarks(bodies[2]?.tools)).toBe(withoutMarks(bodies[0]?.tools));
  });
});

it('marks for Anthropic where the prompt is cached, four times at most', async () => {
  const bodies = await conversation({ provider: 'anthropic' }, [
    { type: 'tool_call', id: 'c1', name: 'read', arguments: '{}' },
  ]);
  for (const body of bodies) {
    const marks = body && JSON.stringify(body).match(/"cache_control"/g);
    expect(marks?.length).toBeGreaterThanOrEqual(2);
    expect(marks?.length).toBeLessThanOrEqual(4);
    expect(JSON.stringify((body as { system?: unknown }).system)).toContain('cache_control');
    expect(JSON.stringify(body.messages.at(-1))).toContain('cache_control');
  }
});

it('gives Anthropic its signed and redacted thinking back', async () => {
  const [, second] = await conversation({ provider: 'anthropic' }, [
    { type: 'reasoning', text: 'deep ' },
    { type: 'reasoning', text: 'thought' },
    { type: 'signature', signature: 'c2lnbmF0dXJl' },
    { type: 'redacted_thinking', data: 'cmVkYWN0ZWQ=' },
    { type: 'tool_call', id: 'c1', name: 'read', arguments: '{}' },
  ]);
  expect(second?.messages[1]?.content).toMatchObject([
    { type: 'thinking', thinking: 'deep thought', signature: 'c2lnbmF0dXJl' },
    { type: 'redacted_thinking', data: 'cmVkYWN0ZWQ=' },
    { type: 'tool_use', id: 'c1', name: 'read', input: {} },
  ]);
});

it('gives OpenAI its encrypted reasoning back, and leaves nothing with it', async () => {
  const deployment = { provider: 'openai', api: 'responses', model: 'gpt-5.6' } as const;
  const [first, second] = await conversation(deployment, [
    { type: 'reasoning', text: 'think' },
    { type: 'signature', signature: 'sealed' },
    { type: 'tool_call', id: 'c1', name: 'read', arguments: '{}' },
  ]);
  expect(first).toMatchObject({
    store: false,
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: 'c1',
  });
  expect(second?.messages.slice(2)).toMatchObject([
    { type: 'reasoning', encrypted_content: 'sealed', summary: [{ text: 'think' }] },
    { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c1', output: 'file' },
  ]);
});

describe('S20: reasoning goes back beside the tool calls', () => {
  const thinking = (field?: string): Step[] => [
    { type: 'reasoning', text: 'think A', ...(field === undefined ? {} : { field }) },
    { type: 'tool_call', id: 'c1', name: 'read', arguments: '{}' },
  ];
  const bare: Step[] = [{ type: 'tool_call', id: 'c1', name: 'read', arguments: '{}' }];

  it.each([undefined, 'reasoning'])('as reasoning_content, when it came as %s', async (field) => {
    const [, second, third] = await conversation({}, thinking(field));
    for (const body of [second, third]) {
      expect(body?.messages[2]).toMatchObject({ reasoning_content: 'think A', tool_calls: [{ id: 'c1' }] });
    }
  });

  it.each([
    ['an empty one to a provider that demands it', { reasoningContent: 'required' }, ''],
    ['an empty one to DeepSeek by its name', { model: 'deepseek-reasoner' }, ''],
    ['none to others', {}, undefined],
  ] as const)('%s, where there was none', async (_, deployment, expected) => {
    rig = await startRig([deployment]);
    const history: ModelMessage[] = [
      user('a'),
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'read', input: {} }] },
      result('c1'),
    ];
    await collect(rig, { messages: history, tools: [TOOL] });
    expect(rig.provider.requests[0]?.body.messages[1]?.reasoning_content).toBe(expected);
  });

  it('not at all where it is refused, nor to OpenAI', async () => {
    const [, refused] = await conversation({ reasoningContent: 'omit' }, thinking());
    expect(JSON.stringify(refused)).not.toContain('think A');
    await rig.close();
    const [, openai] = await conversation({ provider: 'openai' }, bare);
    expect(JSON.stringify(openai)).not.toContain('reasoning_content');
  });

  it('and not to a provider of another kind', async () => {
    rig = await startRig([{ provider: 'anthropic' }]);
    const history: ModelMessage[] = [
      user('a'),
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'plain' },
          { type: 'text', text: 'b' },
        ],
      },
      user('c'),
    ];
    await collect(rig, { messages: history });
    expect(rig.provider.requests[0]?.body.messages[1]?.content).toMatchObject([{ type: 'text', text: 'b' }]);
  });
});

describe('images', () => {
  it('follow a tool result where chat completions take none in it', async () => {
    rig = await startRig([{}]);
    await collect(rig, { messages: SHOWN, tools: [TOOL] });
    const messages = rig.provider.requests[0]?.body.messages;
    expect(messages?.[0]?.content).toMatchObject([
      { type: 'text' },
      { image_url: { url: 'data:image/png;base64,aGk=' } },
    ]);
    expect(messages?.[2]).toMatchObject({ role: 'tool', content: 'a picture\n[The image follows.]' });
    expect(messages?.[3]).toMatchObject({
      role: 'user',
      content: [{ image_url: { url: 'data:image/png;base64,aG8=' } }],
    });
  });

  it('are part of a tool result for Anthropic', async () => {
    rig = await startRig([{ provider: 'anthropic' }]);
    await collect(rig, { messages: SHOWN, tools: [TOOL] });
    expect(rig.provider.requests[0]?.body.messages.at(-1)?.content).toMatchObject([
      { type: 'tool_result', content: [{ type: 'text' }, { type: 'image', source: { data: 'aG8=' } }] },
    ]);
  });

  it('are named as left out where the model sees none', async () => {
    rig = await startRig([{}], { supportsImages: false });
    await collect(rig, { messages: SHOWN, tools: [TOOL] });
    expect(rig.provider.requests[0]?.raw).not.toContain('aGk=');
    expect(rig.provider.requests[0]?.raw).toContain('cannot see images');
  });
});

it('T1: keeps the numbers of schemas as they are', async () => {
  rig = await startRig([{}]);
  const inputSchema = {
    type: 'object',
    properties: {
      xs: {
        type: 'array',
        minItems: 1.0,
        items: { anyOf: [{ type: 'number', multipleOf: 0.5, maximum: 1e300 }] },
      },
    },
  };
  await collect(rig, { tools: [{ ...TOOL, inputSchema }] });
  expect(rig.provider.requests[0]?.raw).toContain('"minItems":1,');
  expect(rig.provider.requests[0]?.raw).toContain('"multipleOf":0.5,"maximum":1e+300');
});

it('passes the thinking effort on that a client chose from the catalogue', async () => {
  const parameters = [
    {
      id: 'effort',
      sets: 'reasoning' as const,
      default: 'low',
      values: [{ value: 'low' }, { value: 'high' }],
    },
  ];
  rig = await startRig([{}], { parameters });
  for (const effort of ['high', 'absurd', undefined])
    await collect(rig, { parameters: effort ? { effort } : {} });
  expect(rig.provider.requests.map(({ body }) => body.reasoning_effort)).toEqual(['high', 'low', 'low']);
});
