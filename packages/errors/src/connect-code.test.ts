import { Code } from '@connectrpc/connect';
import { codeToHttpStatus, codeToString } from '@connectrpc/connect/protocol-connect';
import { expect, test } from 'vitest';
import { CONNECT_CODES, connectCodeToHttp } from './connect-code.ts';

test.each(CONNECT_CODES.map((code, index) => [code, index + 1]))(
  '%s has number %i and its status',
  (code, number) => {
    expect(codeToString(number)).toBe(code);
    expect(connectCodeToHttp(code)).toBe(codeToHttpStatus(number));
  },
);

test('no code is missing', () => {
  const numbers = Object.values(Code).filter((value) => typeof value === 'number');
  expect(CONNECT_CODES).toHaveLength(numbers.length);
});
