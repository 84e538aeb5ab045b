import { TandemError } from '@tandem/errors';

const VISIBLE_ASCII = /^[\x21-\x7e]{1,256}$/;

/**
 * Checks a request id: 1 to 256 visible ASCII characters, so that it can stand in headers and logs.
 * @throws TandemError bad_request
 */
export function checkRequestId(id: string, where = 'request id'): string {
  if (VISIBLE_ASCII.test(id)) return id;
  const fault =
    id === ''
      ? 'is missing'
      : id.length > 256
        ? 'is longer than 256 characters'
        : 'holds characters other than visible ASCII';
  throw new TandemError('bad_request', { detail: `The ${where} ${fault}.` });
}
