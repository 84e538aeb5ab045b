import { type Engine, type Kind, startEngine } from './engine.ts';
import { ask } from './probe.ts';
import type { Program } from './program.ts';
import { findRedis } from './redis-program.ts';
import { say } from './say.ts';

export interface RedisOptions {
  /** Whether writes go to an append-only file, flushed every second. On unless told otherwise. */
  readonly appendOnly?: boolean;
  /** More arguments, e.g. `['--maxmemory', '64mb']`. */
  readonly args?: readonly string[];
  /** A fixed port instead of a free one. */
  readonly port?: number;
}

/** Starts one `valkey-server` or `redis-server` of its own on the loopback interface. */
export async function startRedis(options: RedisOptions = {}): Promise<Engine> {
  return startEngine(redisKind(await redisProgram(), options), options.port);
}

let program: Promise<Program> | undefined;

/** The server that this run uses, looked for once. */
function redisProgram(): Promise<Program> {
  program ??= findRedis(say);
  return program;
}

function redisKind(chosen: Program, options: RedisOptions): Kind {
  return {
    name: 'redis',
    program: chosen,
    url: (port) => `redis://127.0.0.1:${port}`,
    prepare(port, folder) {
      const network = ['--port', String(port), '--bind', '127.0.0.1', '--daemonize', 'no'];
      const appending = [
        '--appendonly',
        options.appendOnly === false ? 'no' : 'yes',
        '--appendfsync',
        'everysec',
      ];
      const data = ['--dir', folder, '--save', '', '--maxmemory-policy', 'noeviction'];
      return [...network, ...appending, ...data, ...(options.args ?? [])];
    },
    async isReady(port, process) {
      const info = await ask(port, 'INFO server\r\n', (answer) => /loading|executable/.test(answer));
      if (chosen.kind === 'docker') return info?.includes('redis_version') ?? false;
      return info?.includes(`process_id:${process.pid}\r\n`) ?? false;
    },
  };
}
