import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { TandemError } from '@tandem/errors';
import { expect, test, vi } from 'vitest';
import { withCredentials } from './credentials.ts';

const options: LanguageModelV4CallOptions = { prompt: [] };

function modelWith(find: () => Promise<unknown>) {
  const doStream = vi.fn(async () => ({ stream: new ReadableStream() }));
  const model = { doStream } as unknown as LanguageModelV4;
  return { asked: doStream, model: withCredentials(model, find, 'none here') };
}

test('asks the provider once the credentials are there', async () => {
  const found = Promise.withResolvers<void>();
  const { asked, model } = modelWith(() => found.promise);
  const answer = model.doStream(options);
  expect(asked).not.toHaveBeenCalled();
  found.resolve();
  await answer;
  expect(asked).toHaveBeenCalledExactlyOnceWith(options);
});

test('says that there are none, without a word of who looked for them', async () => {
  const { asked, model } = modelWith(() => Promise.reject(new Error('secret')));
  const failure = await Promise.resolve(model.doStream(options)).catch((error: unknown) => error);
  expect(failure).toMatchObject({ reason: 'provider_auth', message: 'none here' });
  expect((failure as Error).cause).toBeUndefined();
  expect(asked).not.toHaveBeenCalled();
});

test('does not wait for them beyond an abort', async () => {
  const { asked, model } = modelWith(() => new Promise(() => {}));
  const abort = new AbortController();
  const answer = model.doStream({ ...options, abortSignal: abort.signal });
  abort.abort(new TandemError('canceled_by_user'));
  await expect(answer).rejects.toMatchObject({ reason: 'canceled_by_user' });
  expect(asked).not.toHaveBeenCalled();
});
