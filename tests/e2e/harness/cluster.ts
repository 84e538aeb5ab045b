import { randomBytes } from 'node:crypto';
import { SINGLE_USER_ID } from '@tandem/platform';
import { freePort } from '../../engines/ports.ts';
import { type Service, startService } from './service.ts';

const READY_MS = 45_000;
const POLL_MS = 50;

/** What a cluster of processes is made of. */
export interface ClusterOptions {
  readonly natsUrl: string;
  readonly redisUrl: string;
  readonly gateways: number;
  readonly workers: number;
  /** Environment of all processes: models, users, limits. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A process with its port. */
export interface Node extends Service {
  /** The gateway's own address; of a worker, that of its probes. */
  readonly url: string;
}

/** Gateways and workers, each a process of its own. */
export interface ProcessCluster extends AsyncDisposable {
  /** With those that were added, and those that were stopped. */
  readonly gateways: readonly Node[];
  readonly workers: readonly Node[];
  /** Starts one more, and waits until it is ready. */
  addGateway(): Promise<Node>;
  addWorker(): Promise<Node>;
  /** The key of the single user, unless `env` names a file of users. */
  readonly apiKey: string;
  /** The single user's id. */
  readonly ownerId: string;
  /** All that all of them wrote: for messages of failed tests. */
  output(): string;
}

/** Starts a cluster on running engines, and waits until all of it is ready. */
export async function startCluster(options: ClusterOptions): Promise<ProcessCluster> {
  const apiKey = randomBytes(16).toString('hex');
  const shared = {
    TANDEM_NATS_URL: options.natsUrl,
    TANDEM_REDIS_URL: options.redisUrl,
    TANDEM_API_KEY: apiKey,
    TANDEM_TOKEN_SECRET: randomBytes(32).toString('hex'),
    TANDEM_LOG_LEVEL: 'warn',
    TANDEM_DRAIN_GRACE: '1s',
    ...options.env,
  };
  const gateways: Node[] = [];
  const workers: Node[] = [];
  const nodes = () => [...gateways, ...workers];
  const stopAll = async () => void (await Promise.all(nodes().map((node) => node.stop())));
  async function start(list: Node[], startNode: (index: number, env: Env) => Promise<Node>): Promise<Node> {
    const node = await startNode(list.length + 1, shared);
    list.push(node);
    return node;
  }
  async function startReady(...how: Parameters<typeof start>): Promise<Node> {
    const node = await start(...how);
    await untilReady(node);
    return node;
  }
  try {
    for (let index = 1; index <= options.gateways; index += 1) await start(gateways, startGateway);
    for (let index = 1; index <= options.workers; index += 1) await start(workers, startWorker);
    await Promise.all(nodes().map(untilReady));
  } catch (error) {
    await stopAll();
    throw error;
  }
  return {
    gateways,
    workers,
    addGateway: () => startReady(gateways, startGateway),
    addWorker: () => startReady(workers, startWorker),
    apiKey,
    ownerId: SINGLE_USER_ID,
    output: () =>
      nodes()
        .map((node) => `--- ${node.name}\n${node.output()}`)
        .join('\n'),
    [Symbol.asyncDispose]: stopAll,
  };
}

type Env = Readonly<Record<string, string>>;

async function startGateway(index: number, env: Env): Promise<Node> {
  const port = await freePort();
  const service = startService({
    name: `gateway-${index}`,
    main: 'services/gateway/src/main.ts',
    env: { ...env, TANDEM_HOST: '127.0.0.1', TANDEM_PORT: String(port) },
  });
  return { ...service, url: `http://127.0.0.1:${port}` };
}

async function startWorker(index: number, env: Env): Promise<Node> {
  const port = await freePort();
  const service = startService({
    name: `worker-${index}`,
    main: 'services/worker/src/main.ts',
    env: { ...env, TANDEM_ADMIN_HOST: '127.0.0.1', TANDEM_ADMIN_PORT: String(port) },
  });
  return { ...service, url: `http://127.0.0.1:${port}` };
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
