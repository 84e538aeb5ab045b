import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Engine, type Kind, startEngine } from './engine.ts';
import { findNats } from './nats-program.ts';
import { ask } from './probe.ts';
import type { Program } from './program.ts';
import { say } from './say.ts';

export interface NatsOptions {
  /** Whether JetStream is on, with file storage in the engine's folder. On unless told otherwise. */
  readonly jetstream?: boolean;
  /** More lines of NATS configuration, e.g. `max_payload: 64KB`. */
  readonly config?: string;
  /** A fixed port instead of a free one. */
  readonly port?: number;
}

/** Starts one `nats-server` of its own on the loopback interface. */
export async function startNats(options: NatsOptions = {}): Promise<Engine> {
  return startEngine(natsKind(await natsProgram(), options), options.port);
}

let program: Promise<Program> | undefined;

/** The nats-server that this run uses, looked for once. */
export function natsProgram(): Promise<Program> {
  program ??= findNats(say);
  return program;
}

export function natsKind(chosen: Program, options: NatsOptions, name = `n-${randomUUID()}`): Kind {
  return {
    name: 'nats',
    program: chosen,
    url: (port) => `nats://127.0.0.1:${port}`,
    prepare(port, folder) {
      const file = join(folder, 'nats.conf');
      const storage = `jetstream { store_dir: ${JSON.stringify(join(folder, 'jetstream'))} }`;
      const lines = [
        `listen: "127.0.0.1:${port}"`,
        `server_name: ${JSON.stringify(name)}`,
        ...(options.jetstream === false ? [] : [storage]),
        options.config ?? '',
      ];
      writeFileSync(file, `${lines.join('\n')}\n`);
      return ['--config', file];
    },
    async isReady(port) {
      const info = await ask(port, '', (answer) => answer.includes('\r\n'));
      return info?.includes(`"server_name":${JSON.stringify(name)}`) ?? false;
    },
  };
}
