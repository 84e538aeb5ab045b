import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { Redis } from 'ioredis';
import { expect, inject, onTestFinished, test } from 'vitest';
import { type Engine, startNats, startNatsCluster, startRedis } from './index.ts';

async function natsAt(url: string) {
  const connection = await connect({ servers: url.split(',') });
  onTestFinished(() => connection.close());
  return connection;
}

function redisAt(url: string): Redis {
  const redis = new Redis(url);
  onTestFinished(() => redis.disconnect());
  return redis;
}

/** A zombie, dead but not yet collected by its parent, has ended. */
function isAlive(pid: number): boolean {
  const status = `/proc/${pid}/status`;
  if (process.platform === 'linux')
    return existsSync(status) && !/^State:\s+Z/m.test(readFileSync(status, 'utf8'));
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('the shared engines serve', async () => {
  const connection = await natsAt(inject('natsUrl'));
  await jetstreamManager(connection);
  expect(await redisAt(inject('redisUrl')).ping()).toBe('PONG');
});

test('a NATS server that was killed comes back with its data on the same port', async () => {
  const nats = await startNats({ config: 'max_payload: 64KB' });
  const connection = await natsAt(nats.url);
  expect(connection.info?.max_payload).toBe(65_536);
  await (await jetstreamManager(connection)).streams.add({ name: 'kept', subjects: ['kept.>'] });
  await jetstream(connection).publish('kept.a', 'one');
  await connection.close();

  const before = nats.pid;
  await nats.kill();
  expect(isAlive(before)).toBe(false);
  await nats.restart();
  expect(nats.pid).not.toBe(before);
  const again = await natsAt(nats.url);
  expect((await (await jetstreamManager(again)).streams.info('kept')).state.messages).toBe(1);
  await again.close();
  await nats.stop();
  expect(existsSync(nats.folder)).toBe(false);
});

test('a paused Redis can be restarted and stopped', async () => {
  const redis = await startRedis();
  expect(await redisAt(redis.url).set('key', 'value')).toBe('OK');
  await redis.kill('SIGSTOP');
  await redis.restart();
  expect(await redisAt(redis.url).get('key')).toBe('value');
  await redis.kill('SIGSTOP');
  await redis.stop();
  expect(isAlive(redis.pid)).toBe(false);
});

test('a cluster replicates, also without one of its nodes', async () => {
  const cluster = await startNatsCluster(3);
  onTestFinished(() => cluster.stop());
  const connection = await natsAt(cluster.url);
  const manager = await jetstreamManager(connection);
  await manager.streams.add({ name: 'replicated', subjects: ['r'], num_replicas: 3 });
  const first = cluster.nodes.find((node) => node.port !== connection.info?.port);
  await first?.kill();
  await expect
    .poll(
      () =>
        jetstream(connection)
          .publish('r', 'one')
          .then(
            (ack) => ack.seq,
            () => 0,
          ),
      { timeout: 15_000 },
    )
    .toBeGreaterThan(0);
  await first?.restart();
  await cluster.untilFormed();
});

test('engines and folders do not outlive a killed test run', async () => {
  const program = `
    import { startNats, startRedis } from ${JSON.stringify(join(import.meta.dirname, 'index.ts'))};
    const engines = [await startNats(), await startRedis()];
    console.log(JSON.stringify(engines.map(({ pid, folder }) => ({ pid, folder }))));
    setInterval(() => {}, 1000);
  `;
  const run = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = await once(createInterface({ input: run.stdout }), 'line');
  const engines: Pick<Engine, 'pid' | 'folder'>[] = JSON.parse(line);
  expect(engines.map((engine) => isAlive(engine.pid))).toEqual([true, true]);

  run.kill('SIGKILL');
  await expect.poll(() => engines.some((engine) => isAlive(engine.pid)), { timeout: 5_000 }).toBe(false);
  await expect
    .poll(() => engines.some((engine) => existsSync(engine.folder)), { timeout: 5_000 })
    .toBe(false);
});
