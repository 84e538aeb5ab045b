import type { LanguageModelV4 } from '@ai-sdk/provider';
import { TandemError } from '@tandem/errors';

/**
 * Has a model's credentials found before each call. The packages take missing ones for a fault of the network, and wait
 * for them beyond an abort.
 *
 * @param find finds them, and keeps them for as long as they are good.
 * @param missing says that there are none; nothing of what `find` throws is kept.
 */
export function withCredentials(
  model: LanguageModelV4,
  find: () => Promise<unknown>,
  missing: string,
): LanguageModelV4 {
  const doStream = model.doStream.bind(model);
  model.doStream = async (options) => {
    await available(find, missing, options.abortSignal);
    return doStream(options);
  };
  return model;
}

async function available(
  find: () => Promise<unknown>,
  missing: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([find(), aborted.promise]);
  } catch {
    signal?.throwIfAborted();
    throw new TandemError('provider_auth', { message: missing });
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}
