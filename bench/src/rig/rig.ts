import type { Cluster } from '@tandem/cluster';
import { type ProcessCluster, startCluster, startService } from '@tandem/test-support/cluster';
import type { ScriptedProvider } from '@tandem/test-support/provider';
import { type MeasuredProcess, measured, measuredRun, pinProcess } from './measured-process.ts';

/** A gateway as a process, with the port that clients use. */
export interface RunningServer {
  readonly process: MeasuredProcess;
  readonly port: number;
}

/** Real engines, real services, a provider that says what it is told to. */
export interface Rig {
  readonly nats: ProcessCluster['nats'];
  readonly provider: ScriptedProvider;
  readonly apiKey: string;
  /** The ports of the runtime, for what the benchmark does in an actor's place. */
  readonly cluster: Cluster;
  readonly model: string;
  startGateway(): Promise<RunningServer>;
  startWorker(): Promise<MeasuredProcess>;
  startBareServer(): Promise<RunningServer>;
  /** Keeps engines and this very process on some CPUs. */
  pinRest(cpus: string): void;
  close(): Promise<void>;
}

const MODEL = 'bench';

/** Starts engines and provider; services start when a measurement asks for them. @param profileFolder for CPU profiles */
export async function startRig(profileFolder?: string): Promise<Rig> {
  const processes = await startCluster({
    gateways: 0,
    workers: 0,
    env: { TANDEM_LOG_LEVEL: 'info', TANDEM_DRAIN_GRACE: '0s', TANDEM_OPENAI_MODELS: MODEL },
    run: measuredRun(profileFolder),
  });
  const { nats, redis, provider, apiKey } = processes;
  return {
    nats,
    provider,
    apiKey,
    cluster: await processes.connect(),
    model: MODEL,
    async startGateway() {
      const gateway = await processes.addGateway();
      return { process: measured(gateway), port: Number(new URL(gateway.url).port) };
    },
    startWorker: async () => measured(await processes.addWorker()),
    async startBareServer() {
      const main = 'bench/src/rig/bare-server.ts';
      const bare = measured(startService({ ...measuredRun(), name: 'bare server', main }));
      const [, port] = await bare.line(/listens on (\d+)/);
      return { process: bare, port: Number(port) };
    },
    pinRest(cpus) {
      for (const pid of [nats.pid, redis.pid, process.pid]) pinProcess(pid, cpus);
    },
    close: async () => await processes[Symbol.asyncDispose](),
  };
}
