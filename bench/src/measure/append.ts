import { randomUUID } from 'node:crypto';
import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { commandSubject, turnKey } from '@tandem/actor-core';
import { createClient } from '@tandem/client';
import { AppendClient } from '../rig/append-client.ts';
import type { Rig } from '../rig/rig.ts';
import { median, percentile } from '../statistics.ts';
import type { Findings } from './measurement.ts';

/** Until nothing of the gateway runs unoptimised: it serves for days. */
const WARM_UP = 4000;
const BLOCKS = 5;
const PAIRS = 300;
const PAYLOAD_BYTES = 128;
const IN_FLIGHT = 32;
const THROUGHPUT_APPENDS = 6000;

/** An append until it is answered, against a bare publish to JetStream until it is acknowledged; and what appends cost. */
export async function measureAppend(rig: Rig): Promise<Findings> {
  const gateway = await rig.startGateway();
  rig.pinRest('0,1');
  const connection = await connect({ servers: rig.nats.url, noAsyncTraces: true });
  const stream = jetstream(connection);
  const payload = new Uint8Array(PAYLOAD_BYTES);
  const subject = commandSubject(turnKey('bench', randomUUID()));
  const publish = () => stream.publish(subject, payload);

  const requestId = randomUUID();
  // The token that clients get for their key, and send with all calls of a turn.
  const keyHolder = createClient({ baseUrl: `http://127.0.0.1:${gateway.port}`, apiKey: rig.apiKey });
  const token = await keyHolder.token();
  keyHolder.close();
  const client = await AppendClient.connect(gateway.port, token, requestId);
  let seqno = 0;
  // Seqno 0 would wake a worker; what is measured is the way of all others.
  const append = () => client.append(++seqno);

  for (let index = 0; index < WARM_UP; index += 1) {
    await publish();
    await append();
  }
  const blocks = [];
  for (let block = 0; block < BLOCKS; block += 1) {
    const published: number[] = [];
    const answered: number[] = [];
    for (let pair = 0; pair < PAIRS; pair += 1) {
      published.push(await msOf(publish));
      answered.push(await msOf(append));
    }
    blocks.push({ published: percentile(published, 0.5), answered: percentile(answered, 0.5) });
  }
  client.close();
  const perCore = await appendsPerCore(token, gateway);
  await connection.close();
  await gateway.process.stop();
  return {
    figures: {
      append_ratio: median(blocks.map(({ published, answered }) => answered / published)),
      append_ms_p50: median(blocks.map(({ answered }) => answered)),
      publish_ms_p50: median(blocks.map(({ published }) => published)),
      appends_per_core_s: perCore,
    },
    setting: `one append or publish of ${PAYLOAD_BYTES} bytes in flight, in turn; appends per core with ${IN_FLIGHT} in flight, CPU of the gateway`,
  };
}

/** Appends a second of the gateway's CPU time, with many in flight. */
async function appendsPerCore(
  token: string,
  { port, process }: Awaited<ReturnType<Rig['startGateway']>>,
): Promise<number> {
  const worker = async (appends: number) => {
    const requestId = randomUUID();
    const client = await AppendClient.connect(port, token, requestId);
    for (let seqno = 1; seqno <= appends; seqno += 1) await client.append(seqno);
    client.close();
  };
  const run = (appends: number) =>
    Promise.all(Array.from({ length: IN_FLIGHT }, () => worker(Math.ceil(appends / IN_FLIGHT))));
  await run(THROUGHPUT_APPENDS / 4);
  const before = await process.cpuMs();
  await run(THROUGHPUT_APPENDS);
  return (THROUGHPUT_APPENDS * 1000) / ((await process.cpuMs()) - before);
}

async function msOf(run: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await run();
  return performance.now() - began;
}
