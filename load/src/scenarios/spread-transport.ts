import type { Transport } from '@tandem/client';

/**
 * Sends each call to the next of several addresses, as a load balancer without affinity does; one that refuses the connection is passed
 * over. `addresses` is looked at for each call: processes come and go.
 * @param base what stands in the URLs in place of an address
 */
export function spread(inner: Transport, base: string, addresses: readonly string[]): Transport {
  let next = 0;
  return {
    async request(request) {
      for (let tries = 1; ; tries += 1) {
        next += 1;
        const address = addresses[next % addresses.length] ?? base;
        try {
          return await inner.request({ ...request, url: request.url.replace(base, address) });
        } catch (error) {
          const refused = (error as { code?: unknown }).code === 'ECONNREFUSED';
          if (!refused || tries >= addresses.length) throw error;
        }
      }
    },
    close: () => inner.close(),
  };
}
