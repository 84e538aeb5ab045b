import { isIP } from 'node:net';

/** Finds all addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** Which addresses and ports may be connected to. */
export type Allow = (address: string, port: number) => boolean;

/** Something that is not fetched, or could not be; the message is for the model. */
export class FetchRefused extends Error {
  override name = 'FetchRefused';
}

/** Where a connection goes: an address that was checked, never the name again. */
export interface Target {
  readonly url: URL;
  readonly address: string;
  readonly port: number;
}

/**
 * Resolves an address on the web, and checks all that its name stands for: one that must not be reached among them is enough
 * to refuse it, since the next answer of its resolver might hold only that.
 * @throws FetchRefused
 */
export async function resolveTarget(given: string, resolve: Resolve, allow: Allow): Promise<Target> {
  if (!URL.canParse(given)) throw new FetchRefused('This is no address.');
  const url = new URL(given);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new FetchRefused('Only addresses that begin with http:// or https:// can be fetched.');
  }
  if (url.username || url.password) throw new FetchRefused('An address with a password is not fetched.');
  url.hash = '';
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const addresses = isIP(hostname) ? [hostname] : await resolveName(hostname, resolve);
  const [address] = addresses;
  if (!address) throw new FetchRefused(`The name ${hostname} is not known.`);
  if (!addresses.every((one) => allow(one, port))) {
    throw new FetchRefused(`${url.host} is not a public address of the web, and is not fetched.`);
  }
  return { url, address, port };
}

async function resolveName(hostname: string, resolve: Resolve): Promise<readonly string[]> {
  try {
    return await resolve(hostname);
  } catch {
    // Whatever the resolver says, there is nobody to connect to.
    throw new FetchRefused(`The name ${hostname} is not known.`);
  }
}
