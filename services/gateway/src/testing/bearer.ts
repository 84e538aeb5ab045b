import type { Interceptor } from '@connectrpc/connect';

/** Has a Connect client send a key. */
export function bearer(key: string): Interceptor {
  return (next) => (request) => {
    request.header.set('authorization', `Bearer ${key}`);
    return next(request);
  };
}
