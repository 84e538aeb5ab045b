import { z } from 'zod';

/** An address on the web as a model may give it: without a name and password, which would go to whoever is there. */
export const webAddress = z
  .string()
  .max(4_000)
  .refine((value) => {
    if (!URL.canParse(value)) return false;
    const { protocol, username, password } = new URL(value);
    return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
  }, 'This is no address that begins with http:// or https://.');
