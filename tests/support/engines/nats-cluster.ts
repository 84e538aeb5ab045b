import { randomUUID } from 'node:crypto';
import { type Engine, startEngine } from './engine.ts';
import { natsKind, natsProgram } from './nats.ts';
import { freePort } from './ports.ts';

const FORM_MS = 30_000;
const POLL_MS = 50;

export interface NatsCluster {
  readonly nodes: readonly Engine[];
  /** The URLs of all nodes, separated by commas. */
  readonly url: string;
  /** Waits until each running node sees the JetStream leader and all others. */
  untilFormed(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a JetStream cluster of `size` nodes on the loopback interface and waits until it has a leader. */
export async function startNatsCluster(
  size = 3,
  options: { readonly config?: string } = {},
): Promise<NatsCluster> {
  const program = await natsProgram();
  const cluster = `c-${randomUUID()}`;
  const routes = await freePorts(size);
  const monitors = await freePorts(size);
  const peers = routes.map((port) => `"nats://127.0.0.1:${port}"`).join(', ');
  const starts = routes.map((route, index) => {
    const config = [
      `http: "127.0.0.1:${monitors[index]}"`,
      `cluster { name: "${cluster}", listen: "127.0.0.1:${route}", routes: [${peers}] }`,
      options.config ?? '',
    ].join('\n');
    return startEngine(natsKind(program, { config }, `${cluster}-${index}`));
  });
  const outcomes = await Promise.allSettled(starts);
  const nodes = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()));
  };
  try {
    for (const one of outcomes) if (one.status === 'rejected') throw one.reason;
    await untilFormed(monitors);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    nodes,
    url: nodes.map((node) => node.url).join(','),
    untilFormed: () => untilFormed(monitors),
    stop,
  };
}

async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}

async function untilFormed(monitors: readonly number[]): Promise<void> {
  const deadline = performance.now() + FORM_MS;
  const isFormed = async () =>
    (await Promise.all(monitors.map((port) => knowsAll(port, monitors.length)))).every(Boolean);
  while (!(await isFormed())) {
    if (performance.now() > deadline) throw new Error(`no JetStream cluster within ${FORM_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Whether a node sees a leader and the others online; a node without an answer is not running and doesn't count. */
async function knowsAll(monitor: number, size: number): Promise<boolean> {
  let answer: Response;
  try {
    answer = await fetch(`http://127.0.0.1:${monitor}/jsz`);
  } catch {
    return true;
  }
  const { meta_cluster: meta } = (await answer.json()) as {
    meta_cluster?: { leader?: string; cluster_size?: number };
  };
  return Boolean(meta?.leader) && meta?.cluster_size === size;
}
