import { randomBytes } from 'node:crypto';
import type { Cluster } from '@tandem/cluster';
import { SINGLE_USER_ID } from '@tandem/platform';
import { type Engine, startNats, startRedis } from '../engines/index.ts';
import { freePort } from '../engines/ports.ts';
import { type ScriptedProvider, startScriptedProvider } from '../provider/index.ts';
import { type ConnectOptions, connectPorts } from './ports.ts';
import { type Service, type ServiceOptions, startService } from './service.ts';

const READY_MS = 45_000;
const POLL_MS = 50;

/** What a cluster of processes is made of. */
export interface ClusterOptions {
  readonly gateways: number;
  readonly workers: number;
  /** One that serves others, too; else the cluster has a provider of its own. */
  readonly provider?: ScriptedProvider;
  /** Environment of all processes: models, users, limits. Wins over what the cluster sets. */
  readonly env?: Env | ((provider: ScriptedProvider) => Env);
  /** How node runs the processes, where that is not as usual. */
  readonly run?: Pick<ServiceOptions, 'nodeArgs' | 'ipc'>;
}

/** A process with its port. */
export interface Node extends Service {
  /** The gateway's own address; of a worker, that of its probes. */
  readonly url: string;
}

/** Gateways and workers, each a process of its own, on engines of their own, with a model that says what it is told to. */
export interface ProcessCluster extends AsyncDisposable {
  readonly nats: Engine;
  readonly redis: Engine;
  /** Offers the models `scripted`, by OpenAI's older API, and `scripted-claude`, which sees images, by Anthropic's. */
  readonly provider: ScriptedProvider;
  /** With those that were added, and those that were stopped. */
  readonly gateways: readonly Node[];
  readonly workers: readonly Node[];
  /** Starts one more, and waits until it is ready. */
  addGateway(): Promise<Node>;
  addWorker(): Promise<Node>;
  /** The ports of the runtime on the cluster's engines, closed with it. */
  connect(options?: Partial<ConnectOptions>): Promise<Cluster>;
  /** The key of the single user, unless `env` names a file of users. */
  readonly apiKey: string;
  /** The single user's id. */
  readonly ownerId: string;
  /** All that all of them wrote: for messages of failed tests. */
  output(): string;
}

type Env = Readonly<Record<string, string>>;

/** Starts all of it, and waits until it is ready; what was started ends when a later part fails, and with the cluster. */
export async function startCluster(options: ClusterOptions): Promise<ProcessCluster> {
  await using starting = new AsyncDisposableStack();
  const [nats, redis] = await Promise.all([startNats(), startRedis()]);
  starting.defer(() => nats.stop());
  starting.defer(() => redis.stop());
  const provider = options.provider ?? (await startScriptedProvider());
  if (!options.provider) starting.defer(() => provider.close());

  const apiKey = randomBytes(16).toString('hex');
  const env = {
    TANDEM_NATS_URL: nats.url,
    TANDEM_REDIS_URL: redis.url,
    TANDEM_API_KEY: apiKey,
    TANDEM_TOKEN_SECRET: randomBytes(32).toString('hex'),
    TANDEM_LOG_LEVEL: 'warn',
    TANDEM_DRAIN_GRACE: '1s',
    OPENAI_BASE_URL: provider.baseUrl,
    OPENAI_API_KEY: 'provider-key',
    TANDEM_OPENAI_MODELS: 'scripted',
    ANTHROPIC_BASE_URL: provider.baseUrl,
    ANTHROPIC_API_KEY: 'provider-key',
    TANDEM_ANTHROPIC_MODELS: 'scripted-claude',
    ...(typeof options.env === 'function' ? options.env(provider) : options.env),
  };
  const gateways: Node[] = [];
  const workers: Node[] = [];
  const nodes = () => [...gateways, ...workers];
  starting.defer(async () => void (await Promise.all(nodes().map((node) => node.stop()))));

  async function start(kind: 'gateway' | 'worker'): Promise<Node> {
    const list = kind === 'gateway' ? gateways : workers;
    const port = String(await freePort());
    const place: Env =
      kind === 'gateway'
        ? { TANDEM_HOST: '127.0.0.1', TANDEM_PORT: port }
        : { TANDEM_ADMIN_HOST: '127.0.0.1', TANDEM_ADMIN_PORT: port };
    const service = startService({
      ...options.run,
      name: `${kind}-${list.length + 1}`,
      main: `services/${kind}/src/main.ts`,
      env: { ...env, ...place },
    });
    const node = { ...service, url: `http://127.0.0.1:${port}` };
    list.push(node);
    return node;
  }
  async function startReady(kind: 'gateway' | 'worker'): Promise<Node> {
    const node = await start(kind);
    await untilReady(node);
    return node;
  }
  for (let index = 0; index < options.gateways; index += 1) await start('gateway');
  for (let index = 0; index < options.workers; index += 1) await start('worker');
  await Promise.all(nodes().map(untilReady));

  const started = starting.move();
  return {
    nats,
    redis,
    provider,
    gateways,
    workers,
    addGateway: () => startReady('gateway'),
    addWorker: () => startReady('worker'),
    connect: async (how) => {
      const ports = await connectPorts({ natsUrl: nats.url, redisUrl: redis.url, ...how });
      started.defer(() => ports.close());
      return ports;
    },
    apiKey,
    ownerId: SINGLE_USER_ID,
    output: () =>
      nodes()
        .map((node) => `--- ${node.name}\n${node.output()}`)
        .join('\n'),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** @throws Error with what the process wrote when it ended, or is not ready in 45 s */
async function untilReady(node: Node): Promise<void> {
  const state = { ended: false };
  void node.exited.then(() => {
    state.ended = true;
  });
  const deadline = performance.now() + READY_MS;
  while (!(await isReady(node.url))) {
    if (state.ended) throw new Error(`${node.name} ended while starting:\n${node.output()}`);
    if (performance.now() > deadline) throw new Error(`${node.name} is not ready:\n${node.output()}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/readyz`);
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}
