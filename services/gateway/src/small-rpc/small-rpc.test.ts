import { fromBinary } from '@bufbuild/protobuf';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { agent, aiserver } from '@tandem/proto';
import { afterEach, describe, expect, it } from 'vitest';
import { bearer } from '../testing/bearer.ts';
import { ALICE_KEY } from '../testing/gateway-fixture.ts';
import { post } from '../testing/http-client.ts';
import { closeGateways, start } from '../testing/running-gateways.ts';

afterEach(closeGateways);

describe('small calls', () => {
  it.each([
    [
      'aiserver.v1.ServerConfigService',
      'GetServerConfig',
      aiserver.GetServerConfigResponseSchema,
      { http2Config: 1 },
    ],
    [
      'aiserver.v1.DashboardService',
      'GetTeamReposOrEmptyIfNotInTeam',
      aiserver.GetTeamReposResponseSchema,
      {},
    ],
    [
      'aiserver.v1.DashboardService',
      'GetTeamAdminSettingsOrEmptyIfNotInTeam',
      aiserver.GetTeamAdminSettingsResponseSchema,
      {},
    ],
    ['aiserver.v1.DashboardService', 'GetUserPrivacyMode', aiserver.GetUserPrivacyModeResponseSchema, {}],
  ])('%s/%s answers 200 to anyone', async (service, method, schema, expected) => {
    const { url } = await start();
    const answer = await post(url, `/${service}/${method}`, '', { authorization: 'Bearer wrong' });
    expect(answer.status).toBe(200);
    expect(fromBinary(schema as never, answer.body)).toMatchObject(expected);
  });

  it('BootstrapStatsig takes JSON', async () => {
    const { url } = await start();
    const path = '/aiserver.v1.AnalyticsService/BootstrapStatsig';
    expect((await post(url, path, '{}', { 'content-type': 'application/json' })).status).toBe(200);
  });

  it('lists models to users', async () => {
    const { url } = await start();
    const call = (key: string) => {
      const transport = createConnectTransport({
        baseUrl: url,
        httpVersion: '1.1',
        interceptors: [bearer(key)],
      });
      return createClient(agent.AgentService, transport);
    };
    expect((await call(ALICE_KEY).getUsableModels({})).models).toMatchObject([{ modelId: 'demo' }]);
    expect((await call(ALICE_KEY).nameAgent({ userMessage: '  Fix the build\nplease' })).name).toBe(
      'Fix the build',
    );
    await expect(call('wrong').getUsableModels({})).rejects.toMatchObject({ code: 16 });
  });

  it('what nobody serves is unimplemented, and counted', async () => {
    const { url, metrics } = await start();
    expect(await post(url, '/aiserver.v1.DashboardService/GetTokenUsage', '')).toMatchObject({
      status: 501,
      error: { code: 'unimplemented' },
    });
    expect((await post(url, '/made.up.Service/Thing', '')).status).toBe(501);
    expect((await post(url, '/nothing', '', {}, 'GET')).status).toBe(404);
    const text = await metrics.text();
    expect(text).toContain('method="aiserver.v1.DashboardService/GetTokenUsage"');
    expect(text).toContain('method="other"');
  });
});
