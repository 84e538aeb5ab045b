import { TandemError } from '@tandem/errors';

/** The credential of an `authorization: Bearer …` header. @throws TandemError bad_key when there is none */
export function bearerOf(authorization: string | undefined | null): string {
  const credential = /^Bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1];
  if (!credential) throw new TandemError('bad_key', { title: 'No API key or access token was sent.' });
  return credential;
}
