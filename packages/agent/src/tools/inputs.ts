import { z } from 'zod';
import { query, type Steps, whyRefused } from './steps.ts';

/** What each integer field of the wire can hold. */
const MAX_INT32 = 0x7fff_ffff;
const MAX_UINT32 = 0xffff_ffff;

/** A whole number among a tool's arguments that becomes a field of the wire. @param min the least that makes sense */
export function wireInt(min: number) {
  return z.int().min(min).max(MAX_INT32);
}

/** A client's number for a field of 32 bits without a sign: what is out of its range becomes the nearest that is not. */
export function uint32(value: number | bigint): number {
  return Math.min(Math.max(Number(value), 0), MAX_UINT32);
}

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
