import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNats, startRedis } from '../../tests/support/engines/index.ts';
import { freePort } from '../../tests/support/engines/ports.ts';
import { Report } from '../check-helm/report.ts';
import { help } from '../help.ts';
import { root } from '../toolchain.mjs';
import { Builder, type Built } from './build.ts';
import { shippedFaults } from './contents.ts';
import { dockerfileFaults } from './lint.ts';
import { Container } from './run.ts';

help(`npm run check:images

Lints the Dockerfile, carries out its steps in a clean folder, starts what comes of them as the images say, and holds a turn. Needs no
Docker.`);

const TARGETS = ['gateway', 'worker', 'standalone'];
const KEY = 'key-of-the-image-check';
const report = new Report();
const dockerfile = readFileSync(join(root, 'deploy/docker/Dockerfile'), 'utf8');
const home = mkdtempSync(join(tmpdir(), 'tandem-images-'));
// Its user has to get in.
chmodSync(home, 0o755);

const builder = new Builder(dockerfile, home, (line) => console.error(line));

try {
  report.check('Dockerfile', dockerfileFaults(dockerfile, TARGETS));
  const images = new Map<string, Built>();
  for (const target of TARGETS) {
    await attempt(`${target} builds`, () => void images.set(target, builder.build(target)));
    const built = images.get(target);
    if (built) report.check(`${target} holds what it should`, shippedFaults(built));
  }
  const [gateway, worker, standalone] = TARGETS.map((target) => images.get(target));
  if (standalone) await attempt('standalone serves a turn', () => standaloneTurn(standalone));
  if (gateway && worker) await attempt('gateway and worker serve a turn', () => clusterTurn(gateway, worker));
  process.exitCode = report.close();
} finally {
  rmSync(home, { recursive: true, force: true });
}

async function attempt(name: string, work: () => unknown): Promise<void> {
  try {
    await work();
    report.check(name, []);
  } catch (error) {
    report.check(name, [error instanceof Error ? error.message : String(error)]);
  }
}

async function standaloneTurn(image: Built): Promise<void> {
  const port = await freePort();
  const env = { TANDEM_PORT: String(port), TANDEM_API_KEY: KEY };
  await using container = new Container(builder.node, image, env);
  await container.healthy(port);
  hold(container, port);
}

async function clusterTurn(gatewayImage: Built, workerImage: Built): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const nats = stack.adopt(await startNats(), (engine) => engine.stop());
  const redis = stack.adopt(await startRedis(), (engine) => engine.stop());
  const env = {
    TANDEM_NATS_URL: nats.url,
    TANDEM_REDIS_URL: redis.url,
    TANDEM_API_KEY: KEY,
    TANDEM_DRAIN_GRACE: '1s',
  };
  const secret = { TANDEM_TOKEN_SECRET: 'x'.repeat(32) };
  const [port, gatewayAdmin, workerAdmin] = (await Promise.all([freePort(), freePort(), freePort()])).map(
    String,
  );
  const start = (image: Built, own: object) =>
    stack.use(new Container(builder.node, image, { ...env, ...own }));
  const worker = start(workerImage, { TANDEM_ADMIN_PORT: workerAdmin });
  const gateway = start(gatewayImage, { ...secret, TANDEM_PORT: port, TANDEM_ADMIN_PORT: gatewayAdmin });
  await Promise.all([gateway.healthy(Number(gatewayAdmin)), worker.healthy(Number(workerAdmin))]);
  hold(gateway, Number(port));
}

/** A turn by the client that the image holds, as `helm test` does it. @throws Error with what it said */
function hold(container: Container, port: number): void {
  const args = ['packages/client/src/chat.ts', '--url', `http://127.0.0.1:${port}`, 'Say hello.'];
  const done = container.run(args, { CURSOR_API_KEY: KEY });
  if (done.status !== 0 || done.stdout.trim() === '')
    throw new Error(`no turn: ${done.stdout}${done.stderr}`);
}
