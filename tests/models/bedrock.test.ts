import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Step } from '@tandem/test-support/provider';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  collect,
  failureOf,
  modelCall,
  type Rig,
  reasonOf,
  startRig,
  textOf,
  toldBy,
  user,
} from './harness.ts';
import { replayed, SHOWN, TOOL, TWO_CALLS } from './transcript.ts';

let rig: Rig;
afterEach(() => rig.close());

const SAID: Step[] = [{ type: 'text', text: 'a' }];

describe('bedrock', () => {
  const bedrock = { provider: 'bedrock', model: 'eu.anthropic.claude-sonnet-5-5-v1:0' } as const;

  it('gets its signed and redacted reasoning back', async () => {
    rig = await startRig([bedrock]);
    const body = await replayed(rig, [
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

  it('takes images, those of a tool’s result too', async () => {
    rig = await startRig([bedrock]);
    await collect(rig, { messages: SHOWN, tools: [TOOL] });
    const image = (bytes: string) => ({ image: { format: 'png', source: { bytes } } });
    expect(rig.provider.requests[0]?.body.messages).toMatchObject([
      { content: [{ text: 'see' }, image('aGk='), { cachePoint: {} }] },
      { content: [{ toolUse: {} }] },
      { content: [{ toolResult: { content: [{ text: 'a picture' }, image('aG8=')] } }, { cachePoint: {} }] },
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
    // What is configured counts, not what lies about.
    vi.stubEnv('AWS_BEARER_TOKEN_BEDROCK', 'foreign');
    onTestFinished(() => void vi.unstubAllEnvs());
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
