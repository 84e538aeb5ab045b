import { type FixtureOptions, type GatewayFixture, startGateway } from './gateway-fixture.ts';

const running: GatewayFixture[] = [];

/** Starts a gateway; `closeGateways` has to close it when the test is over. */
export async function start(options: FixtureOptions = {}): Promise<GatewayFixture> {
  const fixture = await startGateway(options);
  running.push(fixture);
  return fixture;
}

/** For `afterEach`. */
export async function closeGateways(): Promise<void> {
  await Promise.all(running.splice(0).map(({ gateway }) => gateway.close()));
}
