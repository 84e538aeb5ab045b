import type { Step } from '@tandem/test-support/provider';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { collect, failureOf, type Rig, reasonOf, startRig, textOf } from './harness.ts';
import { EFFORT, replayed, TWO_CALLS } from './transcript.ts';

let rig: Rig;
afterEach(() => rig.close());

const SAID: Step[] = [{ type: 'text', text: 'a' }];

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
    rig = await startRig([{ provider: 'azure', model: 'ours' }], { parameters: EFFORT });
    const body = await replayed(rig, [
      { type: 'reasoning', text: 'think' },
      { type: 'signature', signature: 'sealed' },
      ...TWO_CALLS,
    ]);
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
