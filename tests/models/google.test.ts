import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { collect, failureOf, type Rig, reasonOf, startRig, textOf, toldBy, user } from './harness.ts';
import { EFFORT, replayed, result, SHOWN, TOOL, TWO_CALLS } from './transcript.ts';

let rig: Rig;
afterEach(() => rig.close());

describe.each(['google', 'google-vertex'] as const)('%s', (provider) => {
  const google = { provider, model: 'gemini-3-pro-preview' };

  it('gets the signature of its thoughts back with the call that bore it', async () => {
    rig = await startRig([google]);
    const body = await replayed(rig, [
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

  it.each([
    ['gemini-3-pro-preview', true],
    ['gemini-2.5-pro', false],
  ])('takes images, those of a tool in or (%s) beside its result', async (model, inside) => {
    rig = await startRig([{ provider, model }]);
    await collect(rig, { messages: SHOWN, tools: [TOOL] });
    const image = (data: string) => ({ inlineData: { mimeType: 'image/png', data } });
    const [first, , last] = rig.provider.requests[0]?.body.contents ?? [];
    expect(first).toMatchObject({ parts: [{ text: 'see' }, image('aGk=')] });
    expect(last).toMatchObject({
      parts: inside
        ? [{ functionResponse: { parts: [image('aG8=')] } }]
        : [{ functionResponse: {} }, image('aG8='), {}],
    });
  });

  it('takes calls of other providers, which bear no signature', async () => {
    rig = await startRig([google]);
    const call = { type: 'tool-call' as const, toolCallId: 'c1', toolName: 'read', input: '[1]' };
    await collect(rig, {
      messages: [user('a'), { role: 'assistant', content: [call] }, result('c1')],
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
