import { randomBytes } from 'node:crypto';
import { CLUSTER_DEFAULTS, type Cluster, connectCluster } from '@tandem/cluster';
import { type Engine, startNats, startRedis } from '../../../tests/engines/index.ts';
import { freePort } from '../../../tests/engines/ports.ts';
import { type ScriptedProvider, startScriptedProvider } from '../../../tests/provider/index.ts';
import { type MeasuredProcess, pinProcess, startProgram } from './measured-process.ts';

/** A gateway as a process, with the port that clients use. */
export interface RunningServer {
  readonly process: MeasuredProcess;
  readonly port: number;
}

/** Real engines, real services, a provider that says what it is told to. */
export interface Rig {
  readonly nats: Engine;
  readonly provider: ScriptedProvider;
  readonly apiKey: string;
  /** The ports of the runtime, for what the benchmark does in an actor's place. */
  readonly cluster: Cluster;
  readonly model: string;
  startGateway(): Promise<RunningServer>;
  startWorker(): Promise<MeasuredProcess>;
  startBareServer(): Promise<RunningServer>;
  /** Ends a process that this rig started. */
  stop(process: MeasuredProcess): Promise<void>;
  /** Keeps engines and this very process on some CPUs. */
  pinRest(cpus: string): void;
  close(): Promise<void>;
}

const MODEL = 'bench';

/** Starts engines and provider. @param profileFolder where processes leave their CPU profiles */
export async function startRig(profileFolder?: string): Promise<Rig> {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (let closer = closers.pop(); closer; closer = closers.pop()) await closer();
  };
  const nats = await startNats();
  closers.push(() => nats.stop());
  const redis = await startRedis();
  closers.push(() => redis.stop());
  const provider = await startScriptedProvider();
  closers.push(() => provider.close());
  const cluster = await connectCluster(
    { nats: { ...CLUSTER_DEFAULTS, servers: [nats.url] }, redis: { url: redis.url } },
    { service: 'bench' },
  );
  closers.push(() => cluster.close());

  const apiKey = `bench-${randomBytes(16).toString('hex')}`;
  const running = new Set<MeasuredProcess>();
  closers.push(() => Promise.all([...running].map((process) => process.stop())));
  const env = {
    TANDEM_NATS_URL: nats.url,
    TANDEM_REDIS_URL: redis.url,
    TANDEM_DRAIN_GRACE: '0s',
    OPENAI_BASE_URL: provider.baseUrl,
    TANDEM_OPENAI_MODELS: MODEL,
  };
  const track = (process: MeasuredProcess): MeasuredProcess => {
    running.add(process);
    return process;
  };

  return {
    nats,
    provider,
    apiKey,
    cluster,
    model: MODEL,
    async startGateway() {
      const process = track(
        startProgram({
          name: 'gateway',
          main: 'services/gateway/src/main.ts',
          profileFolder,
          env: {
            ...env,
            TANDEM_HOST: '127.0.0.1',
            TANDEM_PORT: '0',
            TANDEM_API_KEY: apiKey,
            TANDEM_TOKEN_SECRET: randomBytes(32).toString('hex'),
          },
        }),
      );
      const [, port] = await process.line(/"port":(\d+)/);
      return { process, port: Number(port) };
    },
    async startWorker() {
      const process = track(
        startProgram({
          name: 'worker',
          main: 'services/worker/src/main.ts',
          profileFolder,
          env: { ...env, TANDEM_ADMIN_HOST: '127.0.0.1', TANDEM_ADMIN_PORT: String(await freePort()) },
        }),
      );
      await process.line(/worker runs/);
      return process;
    },
    async startBareServer() {
      const process = track(startProgram({ name: 'bare server', main: 'bench/src/rig/bare-server.ts' }));
      const [, port] = await process.line(/listens on (\d+)/);
      return { process, port: Number(port) };
    },
    async stop(process) {
      running.delete(process);
      await process.stop();
    },
    pinRest(cpus) {
      for (const pid of [nats.pid, redis.pid, process.pid]) pinProcess(pid, cpus);
    },
    close,
  };
}
