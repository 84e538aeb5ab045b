import { type Service, startService } from './service.ts';

/** `npm start`, as a process. */
export interface Standalone extends AsyncDisposable {
  readonly url: string;
  readonly apiKey: string;
  readonly service: Service;
}

/** Starts the standalone server on a free port, and reads what it tells its user. */
export async function startStandalone(env: Readonly<Record<string, string>> = {}): Promise<Standalone> {
  const service = startService({
    name: 'standalone',
    main: 'services/standalone/src/main.ts',
    env: { TANDEM_PORT: '0', ...env },
  });
  const [, url = ''] = await service.line(/^CURSOR_BACKEND_URL=(\S+)$/m);
  const [, apiKey = ''] = await service.line(/^CURSOR_API_KEY=(\S+)$/m);
  return { url, apiKey, service, [Symbol.asyncDispose]: service[Symbol.asyncDispose] };
}
