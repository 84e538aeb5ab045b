import { type Client, type ClientOptions, createClient } from '../client.ts';
import type { RetryPolicy } from '../turn/retry-policy.ts';
import {
  type Script,
  type ScriptedServer,
  type ScriptedStream,
  startScriptedServer,
} from './scripted-server.ts';

/** As official clients, but at once. */
const PROMPTLY: RetryPolicy = {
  limits: { server: 3, transport: 10 },
  fruitlessResumes: 2,
  delayMs: () => 0,
};

/** A turn like any other. */
export const TURN = {
  text: 'hello',
  conversationId: 'c',
  modelId: 'demo',
  retries: PROMPTLY,
  encryptionKey: 'ab',
};

/** A client and the scripted server that it talks to. Its end throws when the script did. */
export interface Pair extends AsyncDisposable {
  readonly client: Client;
  readonly server: ScriptedServer;
}

/** Starts a server that does what the script says, and a client of it. */
export async function startPair(script: Script, options: Partial<ClientOptions> = {}): Promise<Pair> {
  const server = await startScriptedServer(script);
  const client = createClient({ baseUrl: server.baseUrl, apiKey: 'key', ...options });
  return {
    server,
    client,
    [Symbol.asyncDispose]: async () => {
      client.close();
      await server[Symbol.asyncDispose]();
      if (server.faults.length > 0) throw new AggregateError(server.faults, 'the script failed');
    },
  };
}

/** Ends a turn as a server should. */
export function endWell(stream: ScriptedStream): void {
  stream.turnEnded({ inputTokens: 1n });
  stream.checkpoint({ readPaths: ['end'] });
  stream.end();
}
