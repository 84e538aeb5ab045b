import {
  JetStreamApiError,
  type JetStreamManager,
  jetstreamManager,
  type StreamInfo,
} from '@nats-io/jetstream';
import { ClusterUnsuitable } from '../cluster-errors.ts';
import type { NatsConfig } from '../config.ts';
import type { NatsLink } from './nats-link.ts';
import { patiently } from './patiently.ts';
import { type PlannedStream, type StreamPlan, streamConfig } from './stream-plan.ts';

const NAME_IN_USE = 10058;

/**
 * Makes the streams, or checks those that are there: limits are brought up to date, the mapping of subjects and a
 * lower number of replicas are not.
 * @throws ClusterUnsuitable when they do not fit the configuration
 * @throws EngineUnavailable when JetStream does not answer for 30 s
 */
export async function openStreams(
  link: NatsLink,
  config: NatsConfig,
  plan: StreamPlan,
): Promise<JetStreamManager> {
  const manager = await patiently(() => jetstreamManager(link.connection, { timeout: 5000 }));
  await refuseStrangers(manager, plan);
  for (const stream of plan.streams) await patiently(() => openStream(manager, link, config, stream));
  return manager;
}

/** Streams of another plan hold turns that this one would not find. */
async function refuseStrangers(manager: JetStreamManager, plan: StreamPlan): Promise<void> {
  const planned = new Set(plan.streams.map((stream) => stream.name));
  const names = await patiently(async () => {
    const found: string[] = [];
    for await (const name of manager.streams.names()) found.push(name);
    return found;
  });
  const strangers = names.filter((name) => /^TANDEM_(CMD|EVT)_\d+$/.test(name) && !planned.has(name));
  if (strangers.length === 0) return;
  throw new ClusterUnsuitable(
    `NATS holds streams that this configuration does not know (${strangers.join(', ')}): the number of stream pairs was changed; set it back, or delete all TANDEM_ streams while nothing runs`,
  );
}

async function openStream(
  manager: JetStreamManager,
  link: NatsLink,
  config: NatsConfig,
  stream: PlannedStream,
): Promise<void> {
  const wanted = streamConfig(stream, config, link.serverVersion);
  try {
    await manager.streams.add(wanted);
  } catch (error) {
    // With an equal configuration adding is a no-op; so it is there, and differs.
    if (!(error instanceof JetStreamApiError) || error.code !== NAME_IN_USE) throw error;
    const found = await manager.streams.info(stream.name);
    checkMapping(found, stream);
    if (found.config.num_replicas > config.replicas) {
      throw new ClusterUnsuitable(
        `stream ${stream.name} has ${found.config.num_replicas} replicas, the configuration asks for ${config.replicas}: set it to as many, or lower the stream's by hand`,
      );
    }
    await manager.streams.update(stream.name, wanted);
  }
}

function checkMapping(found: StreamInfo, planned: PlannedStream): void {
  const subjects = [...(found.config.subjects ?? [])].sort();
  if (JSON.stringify(subjects) === JSON.stringify([...planned.subjects].sort())) return;
  throw new ClusterUnsuitable(
    `stream ${planned.name} covers other subjects than this configuration says (it has ${subjects.length}, expected ${planned.subjects.length}): the number of stream pairs was changed; set it back, or delete all TANDEM_ streams while nothing runs`,
  );
}
