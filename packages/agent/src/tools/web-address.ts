import { z } from 'zod';
import { query, type Steps, whyRefused } from './steps.ts';

/** An address on the web as a model may give it: without a name and password, which would go to whoever is there. */
export const webAddress = z
  .string()
  .max(4_000)
  .refine((value) => {
    if (!URL.canParse(value)) return false;
    const { protocol, username, password } = new URL(value);
    return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
  }, 'This is no address that begins with http:// or https://.');

/**
 * Asks the user, since an address can carry off what the model knows.
 * @returns why it is not to be fetched; undefined when it may be
 */
export function* askToFetch(url: string, callId: string): Steps<string | undefined> {
  const response = yield* query('webFetchRequestQuery', { args: { url, toolCallId: callId } });
  const permission = response?.result;
  return permission?.case === 'approved' ? undefined : whyRefused(permission);
}
