// A stdio MCP server for tests: one tool, one resource. Messages are lines of JSON-RPC.
import { createInterface } from 'node:readline';

interface Request {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly arguments?: { readonly n?: number }; readonly protocolVersion?: string };
}

const RESULTS: Readonly<Record<string, (params: Request['params']) => unknown>> = {
  initialize: (params) => ({
    protocolVersion: params?.protocolVersion ?? '2025-03-26',
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: 'numbers', version: '1.0.0' },
    instructions: 'Doubles numbers.',
  }),
  'tools/list': () => ({
    tools: [
      {
        name: 'double',
        description: 'Doubles a number.',
        inputSchema: {
          type: 'object',
          anyOf: [{ properties: { n: { $ref: '#/$defs/n' } }, required: ['n'] }],
          $defs: { n: { type: 'integer', minimum: 1 } },
        },
      },
    ],
  }),
  'tools/call': (params) => ({
    content: [{ type: 'text', text: String(2 * (params?.arguments?.n ?? Number.NaN)) }],
  }),
  'resources/list': () => ({ resources: [{ uri: 'numbers://pi', name: 'Pi', mimeType: 'text/plain' }] }),
  'resources/read': () => ({ contents: [{ uri: 'numbers://pi', mimeType: 'text/plain', text: '3.14159' }] }),
  ping: () => ({}),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line) as Request;
  if (id === undefined) return;
  const result = RESULTS[method]?.(params);
  const answer = result ? { result } : { error: { code: -32601, message: 'not here' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
});
