import { Code, ConnectError } from '@connectrpc/connect';
import { describe, expect, it, test } from 'vitest';
import { TandemError } from './tandem-error.ts';

describe('TandemError', () => {
  it('takes texts of its own and keeps the log text apart', () => {
    const cause = new Error('inner');
    const error = new TandemError('bad_request', {
      message: 'append 3 of request r1 has no body',
      detail: 'The message is empty.',
      cause,
      retryAfterMs: 1500,
    });
    expect(error.message).toBe('append 3 of request r1 has no body');
    expect(error.publicMessage).toBe('The request is not valid. The message is empty.');
    expect(error).toMatchObject({ cause, retryAfterMs: 1500, code: 'invalid_argument', retryable: false });
  });

  it('has no cause of its own making', () => {
    expect('cause' in new TandemError('internal')).toBe(false);
    expect(new TandemError('canceled_by_user').message).toBe('The turn was stopped.');
  });

  it('knows its own, subclasses and those of another copy of the package', () => {
    class Special extends TandemError {}
    expect(TandemError.isInstance(new Special('internal'))).toBe(true);
    expect(TandemError.isInstance({ [Symbol.for('tandem.error')]: true })).toBe(true);
    for (const other of [new Error('x'), undefined, null, 'internal', {}]) {
      expect(TandemError.isInstance(other)).toBe(false);
    }
  });
});

describe('from', () => {
  it('gives a TandemError back as it is', () => {
    const error = new TandemError('draining');
    expect(TandemError.from(error)).toBe(error);
  });

  it.each([
    new Error('secret'),
    'secret',
    { secret: 1 },
    undefined,
    new DOMException('secret', 'AbortError'),
  ])('makes an internal fault of %o without its text', (thrown) => {
    const error = TandemError.from(thrown);
    expect(error.reason).toBe('internal');
    expect(error.cause).toBe(thrown);
    expect(`${error.message} ${error.publicMessage}`).not.toContain('secret');
  });

  test.each([
    [Code.InvalidArgument, 'bad_request'],
    [Code.ResourceExhausted, 'message_too_large'],
    [Code.Unimplemented, 'unsupported'],
    [Code.Unauthenticated, 'bad_key'],
    [Code.PermissionDenied, 'permission'],
    [Code.Unavailable, 'cluster_unavailable'],
    [Code.Canceled, 'client_gone'],
    [Code.Unknown, 'internal'],
  ])('reads ConnectError code %i as %s', (code, reason) => {
    expect(TandemError.from(new ConnectError('secret', code)).reason).toBe(reason);
  });
});
