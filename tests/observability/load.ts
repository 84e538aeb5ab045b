import {
  createClient,
  nodeTransport,
  requestContextHandler,
  type Transport,
  type TurnResult,
} from '@tandem/client';
import type { ProviderRequest, Reply, Step } from '@tandem/test-support/provider';
import type { WatchedSystem } from './system.ts';

/** Two deployments of one model with prices, so that there are fallbacks and costs. */
export function catalogueOf(providerUrl: string) {
  const deployment = {
    provider: 'openai-compatible',
    baseUrl: providerUrl,
    apiKey: { env: 'OPENAI_API_KEY' },
  };
  return {
    models: [
      {
        id: 'scripted',
        default: true,
        price: { input: 3, output: 15, cacheRead: 0.3 },
        deployments: [
          { ...deployment, name: 'first', model: 'first', retries: 1 },
          { ...deployment, name: 'second', model: 'second', retries: 1 },
        ],
      },
    ],
  };
}

/** What turns of the load do: a turn's text names one of these. */
const KINDS = ['talks', 'reads', 'writes', 'fails over', 'pauses', 'has no key'] as const;

const WORDS = 'All of this is said so that there is something to be relayed and measured on its way'.split(
  ' ',
);
const TALK: Step[] = [
  ...WORDS.flatMap((word): Step[] => [
    { type: 'text', text: `${word} ` },
    { type: 'delay', ms: 15 },
  ]),
  { type: 'usage', input: 400, output: 60, cacheRead: 1200 },
];

/** Answers as the text of the turn asks for; the first deployment is out of order for those that fail over. */
export function scriptLoad({ cluster: { provider } }: WatchedSystem): void {
  provider.script('*', (request) => replyTo(request));
}

function replyTo(request: ProviderRequest): Reply {
  const { lastUserText, model, body } = request;
  const asked = body.messages.some(({ role }) => role === 'tool');
  if (lastUserText.includes('fails over') && model === 'first')
    return { status: 503, body: { error: { message: 'out of order' } } };
  if (lastUserText.includes('has no key'))
    return { status: 401, body: { error: { message: 'a wrong key' } } };
  if (lastUserText.includes('reads') && !asked) return call('read_file', { path: 'a.txt' });
  if (lastUserText.includes('writes') && !asked) return call('write_file', { path: 'b.txt', content: 'b' });
  if (lastUserText.includes('pauses')) return { steps: [{ type: 'delay', ms: 6500 }, ...TALK] };
  return { steps: TALK };
}

function call(name: string, args: unknown): Reply {
  const step: Step = { type: 'tool_call', id: `call-${name}`, name, arguments: JSON.stringify(args) };
  return {
    steps: [step, { type: 'usage', input: 900, output: 30 }, { type: 'finish', reason: 'tool_calls' }],
  };
}

/** A turn of the load. */
export interface HeldTurn {
  readonly result: TurnResult;
  /** It ended as it had to: those whose provider refuses the key fail. */
  readonly asExpected: boolean;
}

/** Holds turns, `atOnce` at a time, for so long; then waits for those begun. @returns all of them */
export async function holdTurns(system: WatchedSystem, ms: number, atOnce: number): Promise<HeldTurn[]> {
  const held: HeldTurn[] = [];
  const until = performance.now() + ms;
  let count = 0;
  const line = async () => {
    while (performance.now() < until) {
      const kind = KINDS[count++ % KINDS.length] ?? 'talks';
      const result = await holdTurn(system, kind);
      const expected = kind === 'has no key' ? 'failed' : 'finished';
      held.push({ result, asExpected: result.status === expected });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, line));
  return held;
}

/** One turn whose text is this; its client reads files, and fails to write them. */
export async function holdTurn(system: WatchedSystem, text: string): Promise<TurnResult> {
  const transport = unordered(nodeTransport());
  const client = createClient({
    baseUrl: system.proxy.url,
    apiKey: system.cluster.apiKey,
    transport,
    handlers: {
      requestContextArgs: requestContextHandler({ cwd: process.cwd() }),
      readArgs: ({ path }) => {
        const value = { path, output: { case: 'content', value: 'a\n' }, totalLines: 1 } as const;
        return { case: 'readResult', value: { result: { case: 'success', value } } };
      },
      writeArgs: () => {
        throw new Error('the disk is read-only');
      },
    },
  });
  try {
    return await client.runTurn({ text, conversationId: crypto.randomUUID(), modelId: 'scripted' });
  } finally {
    client.close();
    transport.close();
  }
}

/** Every fourth append comes late, behind those that were sent after it. */
function unordered(transport: Transport): Transport {
  let appends = 0;
  return {
    request: async (request) => {
      if (request.url.endsWith('/BidiAppend') && ++appends % 4 === 2)
        await new Promise((resolve) => setTimeout(resolve, 120));
      return transport.request(request);
    },
    close: () => transport.close(),
  };
}
