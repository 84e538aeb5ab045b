import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ModelMessage, ToolDefinition } from '@tandem/agent';
import { TandemError } from '@tandem/errors';
import type { Step } from '@tandem/test-support/provider';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { collect, modelCall, type Rig, reasonOf, startRig, textOf, user } from './harness.ts';

let rig: Rig;
afterEach(() => rig.close());

const TOOL: ToolDefinition = {
  name: 'read',
  description: 'Reads a file.',
  inputSchema: { type: 'object', properties: { n: { type: 'integer', minimum: 1 } }, required: [] },
};
const EFFORT = [{ id: 'effort', sets: 'reasoning' as const, default: 'low', values: [{ value: 'low' }] }];
const SAID: Step[] = [{ type: 'text', text: 'a' }];

/** Plays `steps`, then asks again with what was said and the tool's results; resolves with the second request. */
async function replayed(
  deployment: Parameters<typeof startRig>[0][number],
  steps: readonly Step[],
  model: Parameters<typeof startRig>[1] = {},
) {
  rig = await startRig([deployment], model);
  rig.provider.script('*', [{ steps }]);
  const content: unknown[] = [];
  let reasoning = '';
  for (const event of await collect(rig, { tools: [TOOL] })) {
    if (event.type === 'reasoning') reasoning += event.text;
    if (event.type === 'reasoning_end') {
      content.push({ type: 'reasoning', text: reasoning, providerOptions: event.providerOptions });
      reasoning = '';
    }
    if (event.type === 'tool_call') {
      const { id, name, input, providerOptions } = event;
      content.push({
        type: 'tool-call',
        toolCallId: id,
        toolName: name,
        input: JSON.parse(input),
        providerOptions,
      });
    }
  }
  const assistant = JSON.parse(JSON.stringify({ role: 'assistant', content })) as ModelMessage;
  await collect(rig, { messages: [user('hello'), assistant, results('c1', 'c2')], tools: [TOOL] });
  return rig.provider.requests[1]?.body;
}

const results = (...ids: string[]): ModelMessage => ({
  role: 'tool',
  content: ids.map((toolCallId) => ({
    type: 'tool-result',
    toolCallId,
    toolName: 'read',
    output: { type: 'text', value: 'file' },
  })),
});

const TWO_CALLS: Step[] = [
  { type: 'tool_call', id: 'c1', name: 'read', arguments: '{"n":1}' },
  { type: 'tool_call', id: 'c2', name: 'read', arguments: '{"n":2}' },
];

async function failureOf(work: Promise<unknown>): Promise<TandemError> {
  const error = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!TandemError.isInstance(error)) throw new Error('no TandemError', { cause: error });
  return error;
}

const toldBy = (failure: TandemError) =>
  [failure.message, failure.publicMessage, failure.stack, JSON.stringify(failure)].join();

describe('azure', () => {
  it.each([
    [{}, '/v1/responses'],
    [{ api: 'chat' }, '/v1/chat/completions'],
    [{ apiVersion: '2024-10-21' }, '/v1/deployments/m/chat/completions?api-version=2024-10-21'],
  ] as const)('%o is asked at %s', async (deployment, path) => {
    rig = await startRig([{ provider: 'azure', ...deployment }]);
    expect(textOf(await collect(rig))).toBe('hello');
    expect(rig.provider.requests[0]).toMatchObject({ path, model: 'm' });
  });

  it.each([
    [{}, 'https://team.openai.azure.com/openai/v1/responses?api-version=v1'],
    [
      { apiVersion: '2024-10-21' },
      'https://team.openai.azure.com/openai/deployments/m/chat/completions?api-version=2024-10-21',
    ],
  ])('a resource with %o is asked at %s', async (deployment, address) => {
    const fetch = vi.fn<typeof globalThis.fetch>(async () => new Response('{}', { status: 401 }));
    rig = await startRig(
      [{ provider: 'azure', baseUrl: undefined, resource: 'team', ...deployment }],
      {},
      { fetch },
    );
    expect((await failureOf(collect(rig))).reason).toBe('provider_auth');
    expect(String(fetch.mock.calls[0]?.[0])).toBe(address);
  });

  it('may begin with what its filters found', async () => {
    const filters = [{ prompt_index: 0, content_filter_results: { hate: { filtered: false } } }];
    rig = await startRig([{ provider: 'azure', apiVersion: '2024-10-21' }]);
    rig.provider.script('m', {
      steps: [{ type: 'event', data: { choices: [], prompt_filter_results: filters } }, ...SAID],
    });
    const events = await collect(rig);
    expect([textOf(events), reasonOf(events)]).toEqual(['a', 'stop']);
  });

  it('gets its encrypted reasoning back from a deployment of any name', async () => {
    const body = await replayed(
      { provider: 'azure', model: 'ours' },
      [{ type: 'reasoning', text: 'think' }, { type: 'signature', signature: 'sealed' }, ...TWO_CALLS],
      { parameters: EFFORT },
    );
    expect(body).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
    expect(body?.input?.slice(1)).toMatchObject([
      { type: 'reasoning', encrypted_content: 'sealed', summary: [{ text: 'think' }] },
      { type: 'function_call', call_id: 'c1' },
      { type: 'function_call', call_id: 'c2' },
      { type: 'function_call_output', call_id: 'c1', output: 'file' },
      { type: 'function_call_output', call_id: 'c2', output: 'file' },
    ]);
  });
});

describe.each(['google', 'google-vertex'] as const)('%s', (provider) => {
  const google = { provider, model: 'gemini-3-pro-preview' };

  it('gets the signature of its thoughts back with the call that bore it', async () => {
    const body = await replayed(google, [
      { type: 'reasoning', text: 'think' },
      { type: 'signature', signature: 'c2ln' },
      ...TWO_CALLS,
    ]);
    expect(body?.contents?.slice(1)).toMatchObject([
      {
        role: 'model',
        parts: [
          { functionCall: { name: 'read', args: { n: 1 } }, thoughtSignature: 'c2ln' },
          { functionCall: { name: 'read', args: { n: 2 } } },
        ],
      },
      {
        role: 'user',
        parts: [{ functionResponse: { name: 'read' } }, { functionResponse: { name: 'read' } }],
      },
    ]);
  });

  it('tells what it thinks, as much as was chosen', async () => {
    rig = await startRig([google], { parameters: EFFORT });
    await collect(rig);
    expect(rig.provider.requests[0]?.body.generationConfig).toMatchObject({
      thinkingConfig: { includeThoughts: true, thinkingLevel: 'low' },
    });
  });

  it('takes calls of other providers, which bear no signature', async () => {
    rig = await startRig([google]);
    const call = { type: 'tool-call' as const, toolCallId: 'c1', toolName: 'read', input: '[1]' };
    await collect(rig, {
      messages: [user('a'), { role: 'assistant', content: [call] }, results('c1')],
      tools: [TOOL],
    });
    expect(rig.provider.requests[0]?.body.contents?.[1]).toMatchObject({
      parts: [
        { functionCall: { args: { input: '[1]' } }, thoughtSignature: 'skip_thought_signature_validator' },
      ],
    });
  });

  it.each([
    [400, 'INVALID_ARGUMENT', [], 'provider_bad_request'],
    [403, 'PERMISSION_DENIED', [], 'provider_auth'],
    [429, 'RESOURCE_EXHAUSTED', [{ retryDelay: '7s' }], 'provider_rate_limited'],
    [503, 'UNAVAILABLE', [], 'provider_unavailable'],
  ])('%i %s is told as it is, before the stream and in it', async (code, status, details, reason) => {
    rig = await startRig([{ ...google, retries: 0 }]);
    const error = { code, status, details, message: 'AIzaSECRET of PROMPT' };
    rig.provider.script('*', [
      { status: code, body: { error } },
      { steps: [{ type: 'event', data: { error } }, { type: 'end' }] },
    ]);
    for (const _ of ['before', 'in']) {
      const failure = await failureOf(collect(rig));
      expect(failure.reason).toBe(reason);
      expect(toldBy(failure)).not.toMatch(/AIzaSECRET|PROMPT|sk-secret-key/);
    }
  });

  it('refuses a key as a bad request', async () => {
    rig = await startRig([google]);
    const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }];
    const error = { code: 400, status: 'INVALID_ARGUMENT', message: 'API key not valid.', details };
    rig.provider.script('*', { status: 400, body: { error } });
    expect((await failureOf(collect(rig))).reason).toBe('provider_auth');
  });

  it('says that it refused a prompt, or could not read its own call', async () => {
    rig = await startRig([google]);
    rig.provider.script('*', [
      {
        steps: [
          { type: 'event', data: { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } } },
          { type: 'end' },
        ],
      },
      { steps: [{ type: 'finish', reason: 'MALFORMED_FUNCTION_CALL' }] },
    ]);
    expect(reasonOf(await collect(rig))).toBe('content_filter');
    expect(reasonOf(await collect(rig))).toBe('error');
  });
});

describe('google-vertex', () => {
  const vertex = { provider: 'google-vertex', model: 'gemini-3-pro-preview' } as const;

  it.each([
    ['europe-west4', 'europe-west4-aiplatform.googleapis.com'],
    ['global', 'aiplatform.googleapis.com'],
  ])(
    'signs in with a service account, over the connections of the models, and asks %s',
    async (location, host) => {
      const { privateKey } = generateKeyPairSync('rsa', {
        modulusLength: 2048,
        publicKeyEncoding: { type: 'spki', format: 'pem' },
        privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      });
      const account = { type: 'service_account', client_email: 'a@p.iam', private_key: privateKey };
      const asked: [string, string | null][] = [];
      const fetch: typeof globalThis.fetch = async (input, init) => {
        const { url, headers } = new Request(input, init);
        asked.push([url, headers.get('authorization')]);
        if (url === 'https://oauth2.googleapis.com/token')
          return Response.json({ access_token: 'ya29.token', expires_in: 3600, token_type: 'Bearer' });
        return Response.json(
          { error: { code: 404, status: 'NOT_FOUND', message: 'no model' } },
          { status: 404 },
        );
      };
      rig = await startRig(
        [{ ...vertex, baseUrl: undefined, location, credentials: { file: '/run/account.json' } }],
        {},
        { fetch, secrets: { env: {}, readTextFile: () => JSON.stringify(account) } },
      );
      for (const _ of ['first', 'second']) {
        expect((await failureOf(collect(rig))).reason).toBe('model_not_found');
      }
      const address = `https://${host}/v1beta1/projects/p/locations/${location}/publishers/google/models/gemini-3-pro-preview:streamGenerateContent?alt=sse`;
      expect(asked).toEqual([
        ['https://oauth2.googleapis.com/token', null],
        [address, 'Bearer ya29.token'],
        [address, 'Bearer ya29.token'],
      ]);
    },
  );

  it.each([
    ['are not JSON', 'sk-secret-key'],
    ['are of no kind that is known', '{"type":"sk-secret-key"}'],
    [
      'have no key',
      '{"type":"service_account","client_email":"sk-secret-key","private_key":"sk-secret-key"}',
    ],
  ])('says so, and nothing of them, when the credentials %s', async (_, credentials) => {
    rig = await startRig([vertex], {}, { secrets: { env: { GOOGLE: credentials }, readTextFile: () => '' } });
    const failure = await failureOf(collect(rig));
    expect(failure.reason).toBe('provider_auth');
    expect(toldBy(failure)).not.toContain('sk-secret-key');
    expect(rig.provider.requests).toHaveLength(0);
  });

  it('takes the service account of the pod', async () => {
    const metadata = createServer((request, response) => {
      response.setHeader('metadata-flavor', 'Google');
      response.setHeader('content-type', 'application/json');
      const token = request.url?.includes('/service-accounts/default/token');
      response.end(JSON.stringify(token ? { access_token: 'ya29.pod', expires_in: 3600 } : {}));
    });
    await new Promise<void>((resolve) => metadata.listen(0, '127.0.0.1', resolve));
    vi.stubEnv('GCE_METADATA_HOST', `127.0.0.1:${(metadata.address() as AddressInfo).port}`);
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', undefined);
    // No credentials of whoever runs the test.
    vi.stubEnv('HOME', '/nonexistent');
    onTestFinished(() => {
      vi.unstubAllEnvs();
      metadata.close();
      metadata.closeAllConnections();
    });
    rig = await startRig([{ ...vertex, credentials: undefined }]);
    expect(textOf(await collect(rig))).toBe('hello');
    expect((await rig.provider.request(1)).headers.authorization).toBe('Bearer ya29.pod');
  });
});

describe('bedrock', () => {
  const bedrock = { provider: 'bedrock', model: 'eu.anthropic.claude-sonnet-5-5-v1:0' } as const;

  it('gets its signed and redacted reasoning back', async () => {
    const body = await replayed(bedrock, [
      { type: 'reasoning', text: 'deep ' },
      { type: 'reasoning', text: 'thought' },
      { type: 'signature', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'cmVkYWN0ZWQ=' },
      ...TWO_CALLS,
    ]);
    expect(body?.messages.slice(1)).toMatchObject([
      {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 'deep thought', signature: 'c2ln' } } },
          { reasoningContent: { redactedContent: 'cmVkYWN0ZWQ=' } },
          { toolUse: { toolUseId: 'c1', name: 'read', input: { n: 1 } } },
          { toolUse: { toolUseId: 'c2', name: 'read', input: { n: 2 } } },
        ],
      },
      {
        role: 'user',
        content: [
          { toolResult: { toolUseId: 'c1' } },
          { toolResult: { toolUseId: 'c2' } },
          { cachePoint: { type: 'default' } },
        ],
      },
    ]);
  });

  it.each([
    ['eu.anthropic.claude-sonnet-5-5-v1:0', true],
    ['us.amazon.nova-pro-v1:0', true],
    ['anthropic.claude-3-haiku-20240307-v1:0', false],
    ['meta.llama4-maverick-17b-instruct-v1:0', false],
  ])('is told of %s where the prompt is cached: %s', async (model, marked) => {
    rig = await startRig([{ provider: 'bedrock', model }]);
    await collect(rig, { messages: [{ role: 'system', content: 'Be brief.' }, user('a')] });
    const body = rig.provider.requests[0]?.body;
    for (const part of [body?.system, body?.messages]) {
      expect(JSON.stringify(part).includes('"cachePoint"')).toBe(marked);
    }
  });

  it('signs requests with an access key, whose secret is not sent', async () => {
    const env = { ID: 'AKIAID', SECRET: 'access-secret', TOKEN: 'session' };
    rig = await startRig(
      [
        {
          ...bedrock,
          apiKey: undefined,
          accessKey: { id: { env: 'ID' }, secret: { env: 'SECRET' }, sessionToken: { env: 'TOKEN' } },
        },
      ],
      {},
      { secrets: { env, readTextFile: () => '' } },
    );
    expect(textOf(await collect(rig))).toBe('hello');
    const { headers, path, raw } = await rig.provider.request(1);
    expect(path).toBe('/v1/model/eu.anthropic.claude-sonnet-5-5-v1%3A0/converse-stream');
    expect(headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIAID\/\d{8}\/eu-west-1\/bedrock\/aws4_request, /,
    );
    expect(headers['x-amz-security-token']).toBe('session');
    expect(JSON.stringify([headers, raw])).not.toContain('access-secret');
  });

  describe('without a key', () => {
    /** As a pod has them: an address of credentials, and nothing else. */
    async function pod(status: number): Promise<void> {
      const server = createServer((request, response) => {
        const known = request.headers.authorization === 'pod-token';
        const expiration = new Date(Date.now() + 3_600_000).toISOString();
        const credentials = {
          AccessKeyId: 'ASIAPOD',
          SecretAccessKey: 'pod-secret',
          Token: 'pod-session',
          Expiration: expiration,
        };
        response.writeHead(known ? status : 403, { 'content-type': 'application/json' });
        response.end(JSON.stringify(status === 200 ? credentials : { code: 'x', message: 'pod-secret' }));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', `http://127.0.0.1:${port}/v1/credentials`);
      vi.stubEnv('AWS_CONTAINER_AUTHORIZATION_TOKEN', 'pod-token');
      vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
      for (const name of ['AWS_SHARED_CREDENTIALS_FILE', 'AWS_CONFIG_FILE']) vi.stubEnv(name, '/dev/null');
      for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_PROFILE']) {
        vi.stubEnv(name, undefined);
      }
      onTestFinished(() => {
        vi.unstubAllEnvs();
        server.close();
        server.closeAllConnections();
      });
    }

    it('takes the role of the pod', async () => {
      await pod(200);
      rig = await startRig([{ ...bedrock, apiKey: undefined }]);
      expect(textOf(await collect(rig))).toBe('hello');
      const { headers } = await rig.provider.request(1);
      expect(headers.authorization).toContain('Credential=ASIAPOD/');
      expect(headers['x-amz-security-token']).toBe('pod-session');
    });

    it('says that there are none', async () => {
      await pod(403);
      rig = await startRig([{ ...bedrock, apiKey: undefined }]);
      const failure = await failureOf(collect(rig));
      expect(failure.reason).toBe('provider_auth');
      expect(toldBy(failure)).not.toContain('pod-secret');
      expect(rig.provider.requests).toHaveLength(0);
    });
  });

  it.each([
    ['throttlingException', 'provider_rate_limited', 429],
    ['modelStreamErrorException', 'provider_unavailable', 424],
    ['internalServerException', 'provider_unavailable', 500],
    ['serviceUnavailableException', 'provider_unavailable', 503],
    ['validationException', 'provider_bad_request', 400],
  ])('%s is %s, before the stream and in it', async (type, reason, status) => {
    rig = await startRig([{ ...bedrock, retries: 0 }]);
    const message = 'sk-secret-key of PROMPT';
    rig.provider.script('*', [
      { status, body: { message } },
      { steps: [{ type: 'error', error: { type, message } }, { type: 'end' }] },
    ]);
    for (const _ of ['before', 'in']) {
      const failure = await failureOf(collect(rig));
      expect(failure.reason).toBe(reason);
      expect(toldBy(failure)).not.toMatch(/PROMPT|sk-secret-key/);
    }
  });

  it.each([
    ['cut', '\u0000\u0000\u0001\u0000half'],
    ['damaged', '\u0000\u0000\u0000\u0010\u0000\u0000\u0000\u0000wrong!!!'],
  ])('is interrupted by a frame that is %s', async (_, text) => {
    rig = await startRig([bedrock]);
    rig.provider.script('*', {
      steps: [...SAID, { type: 'hold', name: 'h' }, { type: 'raw', text }, { type: 'end' }],
    });
    const events = [];
    for await (const event of rig.models.call(modelCall(), new AbortController().signal)) {
      events.push(event);
      rig.provider.release('h');
    }
    expect([textOf(events), reasonOf(events)]).toEqual(['a', 'interrupted']);
  });
});
