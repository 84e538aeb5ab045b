import { expect, test } from 'vitest';
import { readChatOptions } from './chat-options.ts';

const ENVIRONMENT = { CURSOR_API_KEY: 'key' };

test('a message is enough', () => {
  expect(readChatOptions(['hello', 'there'], ENVIRONMENT)).toEqual({
    text: 'hello there',
    url: 'http://127.0.0.1:8787',
    apiKey: 'key',
    modelId: undefined,
    conversationFile: undefined,
  });
});

test.each([
  [['--url', 'http://a'], { TANDEM_URL: 'http://b', CURSOR_BACKEND_URL: 'http://c' }, 'http://a'],
  [[], { TANDEM_URL: 'http://b', CURSOR_BACKEND_URL: 'http://c' }, 'http://b'],
  [[], { CURSOR_BACKEND_URL: 'http://c' }, 'http://c'],
])('the server by %j and %j is %s', (args, environment, url) => {
  expect(readChatOptions([...args, 'x'], { ...ENVIRONMENT, ...environment })).toMatchObject({ url });
});

test('options are read, and help goes first', () => {
  expect(readChatOptions(['--model', 'm', '--conversation', 'f', 'x'], ENVIRONMENT)).toMatchObject({
    modelId: 'm',
    conversationFile: 'f',
  });
  expect(readChatOptions(['--help'], {})).toBe('help');
});

test.each([
  [[], ENVIRONMENT, 'nothing to say'],
  [['x'], {}, 'CURSOR_API_KEY is not set'],
  [['--url', 'localhost:1', 'x'], ENVIRONMENT, 'no http or https URL'],
  [['--modle', 'x'], ENVIRONMENT, '--modle'],
])('%j is refused', (args, environment, message) => {
  expect(() => readChatOptions(args, environment)).toThrow(message);
});
