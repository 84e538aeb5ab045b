import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ScriptedServer, startScriptedServer } from '../testing/scripted-server.ts';
import { chat } from './chat.ts';

const BLOB = { blobId: new Uint8Array([1]), blobData: new Uint8Array([2, 3]) };

let server: ScriptedServer;
let folder: string;
let written: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tandem-chat-'));
  written = '';
  server = await startScriptedServer({
    other: (request, _body, response) => {
      if (request.headers.authorization !== 'Bearer key') response.writeHead(401).end('{}');
      else response.end(JSON.stringify({ items: [{ id: 'first' }, { id: 'second' }] }));
    },
    stream: async (stream) => {
      const { message } = await stream.take('runRequest');
      if (message.message.case !== 'runRequest') throw new Error('no run request');
      const { requestedModel, conversationState, conversationId } = message.message.value;
      stream.update({ case: 'thinkingDelta', value: { text: 'hm' } });
      stream.text(`${requestedModel?.modelId} ${conversationState?.readPaths.length}`);
      if (conversationState?.readPaths[0]) {
        stream.send({
          case: 'kvServerMessage',
          value: { id: 0, message: { case: 'getBlobArgs', value: BLOB } },
        });
        const { message: answer } = await stream.take('kvClientMessage');
        if (answer.message.case !== 'kvClientMessage') throw new Error('no answer');
        const { message: result } = answer.message.value;
        if (result.case === 'getBlobResult')
          stream.text(` ${result.value.blobData} ${conversationState.readPaths[0] === conversationId}`);
      } else {
        stream.send({
          case: 'kvServerMessage',
          value: { id: 0, message: { case: 'setBlobArgs', value: BLOB } },
        });
        await stream.take('kvClientMessage');
      }
      stream.turnEnded();
      stream.checkpoint({ readPaths: [conversationId ?? ''] });
      stream.end();
    },
  });
});

afterEach(async () => {
  rmSync(folder, { recursive: true });
  await server[Symbol.asyncDispose]();
  expect(server.faults).toEqual([]);
});

function hold(
  options: { modelId?: string; conversationFile?: string; apiKey?: string; isTTY?: boolean } = {},
) {
  const { modelId, conversationFile, apiKey = 'key', isTTY = false } = options;
  const screen = { isTTY, write: (text: string) => (written += text) };
  const turn = { text: 'hello', url: server.baseUrl, apiKey, modelId, conversationFile };
  return chat(turn, screen, () => undefined, new AbortController().signal);
}

test('the answer goes to a pipe as it is, from the first model', async () => {
  await hold();
  expect(written).toBe('first 0\n');
});

test('a terminal also shows the thinking, dimmed', async () => {
  await hold({ isTTY: true, modelId: 'second' });
  expect(written).toBe('\x1b[2mhm\x1b[0m\n\nsecond 0\n');
});

test('a conversation goes on from its file', async () => {
  const conversationFile = join(folder, 'conversation.json');
  await hold({ conversationFile });
  await hold({ conversationFile });
  expect(written).toBe('first 0\nfirst 1 2,3 true\n');
  expect(statSync(conversationFile).mode & 0o777).toBe(0o600);
});

test('a file of something else is left alone', async () => {
  const conversationFile = join(folder, 'notes.txt');
  writeFileSync(conversationFile, 'notes');
  await expect(hold({ conversationFile })).rejects.toThrow(`${conversationFile} holds no conversation`);
});

test('a wrong key is told', async () => {
  await expect(hold({ apiKey: 'wrong' })).rejects.toThrow('[unauthenticated] HTTP status 401');
});
