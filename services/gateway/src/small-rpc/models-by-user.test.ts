import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { createUserDirectory, hashKey, parseUsersFile } from '@tandem/platform';
import { agent, aiserver } from '@tandem/proto';
import { afterEach, expect, test } from 'vitest';
import { bearer } from '../testing/bearer.ts';
import { closeGateways, start } from '../testing/running-gateways.ts';

const { groups, users } = parseUsersFile(`
groups:
  - { id: staff, models: [small] }
  - { id: none, models: [] }
users:
  - { id: alice, groups: [staff], keys: [{ id: k, sha256: ${hashKey('alice')} }] }
  - { id: bob, groups: [none], keys: [{ id: k, sha256: ${hashKey('bob')} }] }
  - { id: carol, keys: [{ id: k, sha256: ${hashKey('carol')} }] }
`);
const model = (id: string) => ({ id, displayName: id, aliases: [], parameters: [] });

afterEach(closeGateways);

test.each([
  ['alice', ['small'], 'small'],
  ['bob', [], ''],
  ['carol', ['large', 'small'], 'large'],
])('%s is listed %j, and offered “%s” first', async (key, models, first) => {
  const { url } = await start({
    deps: {
      users: createUserDirectory(users, Date.now, groups),
      listing: () => [model('large'), model('small')],
    },
  });
  const rest = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
  const { items } = (await rest.json()) as { items: { id: string }[] };
  expect(items.map(({ id }) => id)).toEqual(models);

  const transport = createConnectTransport({ baseUrl: url, httpVersion: '1.1', interceptors: [bearer(key)] });
  const agentCalls = createClient(agent.AgentService, transport);
  expect((await agentCalls.getUsableModels({})).models.map(({ modelId }) => modelId)).toEqual(models);
  expect((await agentCalls.getDefaultModelForCli({})).model?.modelId ?? '').toBe(first);
  const aiCalls = createClient(aiserver.AiService, transport);
  expect((await aiCalls.availableModels({})).modelNames).toEqual(models);
  expect((await aiCalls.getUsableModels({})).models.map(({ modelName }) => modelName)).toEqual(models);
  expect((await aiCalls.getDefaultModel({})).model).toBe(first);
});
