import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ScriptedProvider, startScriptedProvider } from './index.ts';

let provider: ScriptedProvider;
beforeEach(async () => {
  provider = await startScriptedProvider();
});
afterEach(() => provider.close());

const ask = (path: string, content: string, init: RequestInit = {}, url = provider.url) =>
  fetch(`${url}${path}`, {
    method: 'POST',
    body: JSON.stringify({
      model: 'm',
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content }],
    }),
    ...init,
  });

const events = (body: string) => [...body.matchAll(/^data: (.*)$/gm)].map(([, data]) => data as string);

test('echoes word by word in the form of chat completions', async () => {
  const response = await ask('/v1/chat/completions', 'one two');
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const data = events(await response.text());
  expect(data.at(-1)).toBe('[DONE]');
  const chunks = data.slice(0, -1).map((text) => JSON.parse(text));
  expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('|')).toBe('|one |two||');
  expect(chunks.at(-1).usage).toMatchObject({ completion_tokens: 2 });
});

test('echoes in the form of Anthropic messages, with thinking', async () => {
  provider.script('m', [
    {
      steps: [
        { type: 'reasoning', text: 'hm' },
        { type: 'signature', signature: 'sig' },
        { type: 'text', text: 'yes' },
      ],
    },
  ]);
  const types = events(await (await ask('/v1/messages', 'hi')).text()).map((text) => JSON.parse(text).type);
  expect(types).toEqual([
    'message_start',
    'content_block_start',
    'content_block_delta',
    'content_block_delta',
    'content_block_stop',
    'content_block_start',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ]);
  expect(await (await ask('/v1/messages', 'after the script')).text()).toContain('script');
});

test('holds an answer, and sees the other side leave', async () => {
  provider.script('*', {
    steps: [
      { type: 'text', text: 'a' },
      { type: 'hold', name: 'middle' },
    ],
  });
  const abort = new AbortController();
  const response = await ask('/v1/chat/completions', 'hi', { signal: abort.signal });
  await provider.held('middle');
  expect(response.status).toBe(200);
  abort.abort();
  const request = await provider.request(1);
  await request.closed;
  expect(request.aborted).toBe(true);
});

test('answers errors, cuts sockets and ends without a word', async () => {
  provider.script('m', [
    { status: 429, body: { error: { message: 'slow down' } }, headers: { 'retry-after': '3' } },
    { steps: [{ type: 'text', text: 'a' }, { type: 'cut' }] },
    { steps: [{ type: 'text', text: 'a' }, { type: 'end' }] },
  ]);
  const limited = await ask('/v1/chat/completions', 'hi');
  expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '3']);
  await expect(ask('/v1/chat/completions', 'hi').then((response) => response.text())).rejects.toThrow();
  expect(await (await ask('/v1/chat/completions', 'hi')).text()).not.toContain('DONE');
  expect(provider.requests.map(({ aborted }) => aborted)).toEqual([false, true, false]);
});

test('runs as a process of its own', async () => {
  const child = spawn(process.execPath, [fileURLToPath(new URL('main.ts', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  try {
    const [port] = await once(createInterface(child.stdout), 'line');
    const url = `http://127.0.0.1:${port}`;
    const script = {
      steps: [
        { type: 'text', text: 'scripted' },
        { type: 'hold', name: 'h' },
      ],
    };
    await fetch(`${url}/control/script`, { method: 'POST', body: JSON.stringify({ model: 'm', script }) });
    const answer = ask('/v1/chat/completions', 'hi', {}, url).then((response) => response.text());
    await fetch(`${url}/control/held?name=h`);
    await fetch(`${url}/control/release`, { method: 'POST', body: JSON.stringify({ name: 'h' }) });
    expect(await answer).toContain('scripted');
    const [request] = (await (await fetch(`${url}/control/requests`)).json()) as { model: string }[];
    expect(request?.model).toBe('m');
  } finally {
    child.kill();
    await exited;
  }
});
