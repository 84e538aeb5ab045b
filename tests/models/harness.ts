import { fileURLToPath } from 'node:url';
import type { ModelCall, ModelEvent, ModelMessage } from '@tandem/agent';
import { TandemError } from '@tandem/errors';
import {
  type Clock,
  type ConfiguredModels,
  createModels,
  type ModelsOptions,
  type TryEnd,
  type TryInfo,
} from '@tandem/models';
import { type CatalogueInput, readCatalogue } from '@tandem/platform';
import { type ScriptedProvider, startScriptedProvider } from '@tandem/test-support/provider';

type DeploymentInput = CatalogueInput['models'][number]['deployments'][number];

/** A clock whose short timers (backoff) fire at once, and whose long ones (time-outs) fire when they are told to. */
interface TestClock extends Clock {
  /** The short waits so far, in milliseconds. */
  readonly waits: number[];
  /** Fires every long timer that is set. */
  timeOut(): void;
  /** Fires every long timer that is set, and each that will be. */
  timeOutFromNowOn(): void;
}

const SHORT_MS = 20_000;

function testClock(): TestClock {
  const waits: number[] = [];
  const long = new Set<() => void>();
  let late = false;
  const fire = () => {
    for (const run of [...long]) run();
  };
  return {
    waits,
    now: () => 1_000_000,
    after(ms, run) {
      if (ms > SHORT_MS && !late) {
        long.add(run);
        return { cancel: () => long.delete(run) };
      }
      if (ms <= SHORT_MS) waits.push(ms);
      const timer = setImmediate(run);
      return { cancel: () => clearImmediate(timer) };
    },
    timeOut: fire,
    timeOutFromNowOn: () => {
      late = true;
      fire();
    },
  };
}

export interface Rig {
  readonly provider: ScriptedProvider;
  readonly models: ConfiguredModels;
  readonly clock: TestClock;
  readonly tries: (TryInfo & Partial<TryEnd>)[];
  close(): Promise<void>;
}

/** A scripted provider, and models that call it: one named `m`, with the deployments given (model names are scripts). */
export async function startRig(
  deployments: readonly Partial<DeploymentInput>[],
  model: Partial<CatalogueInput['models'][number]> = {},
  options: Partial<ModelsOptions> = {},
): Promise<Rig> {
  const provider = await startScriptedProvider();
  const clock = testClock();
  const tries: Rig['tries'] = [];
  const defaults = {
    provider: 'openai-compatible',
    model: 'm',
    baseUrl: provider.baseUrl,
    apiKey: { env: 'KEY' },
    region: 'eu-west-1',
  };
  const vertex = {
    apiKey: undefined,
    project: 'p',
    location: 'europe-west4',
    credentials: { env: 'GOOGLE' },
  };
  const file = JSON.stringify({
    models: [
      {
        id: 'm',
        supportsImages: true,
        ...model,
        deployments: deployments.map((d) => ({
          ...defaults,
          ...(d.provider === 'google-vertex' ? vertex : {}),
          ...d,
        })),
      },
    ],
  });
  const models = createModels({
    catalogue: readCatalogue({ env: { TANDEM_MODELS_FILE: 'models.yaml' }, readTextFile: () => file }),
    secrets: {
      env: { KEY: 'sk-secret-key', GOOGLE: googleCredentials(provider) },
      readTextFile: () => 'sk-from-file',
    },
    clock,
    random: () => 0,
    observe: (info) => {
      const entry: Rig['tries'][number] = { ...info };
      tries.push(entry);
      return { firstEvent: () => {}, ended: (end) => void Object.assign(entry, end) };
    },
    ...options,
  });
  return {
    provider,
    models,
    clock,
    tries,
    close: async () => {
      await models.close();
      await provider.close();
    },
  };
}

/** Credentials of a workload, whose identity is the text of any file. */
function googleCredentials({ url }: ScriptedProvider): string {
  return JSON.stringify({
    type: 'external_account',
    audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/pod',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: `${url}/token`,
    credential_source: { file: fileURLToPath(import.meta.url) },
  });
}

export const user = (text: string): ModelMessage => ({ role: 'user', content: [{ type: 'text', text }] });

export function modelCall(change: Partial<ModelCall> = {}): ModelCall {
  return {
    model: 'm',
    messages: [user('hello')],
    tools: [],
    parameters: {},
    conversationId: 'c1',
    ...change,
  };
}

/** All events of a call. */
export async function collect(
  rig: Pick<Rig, 'models'>,
  change: Partial<ModelCall> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of rig.models.call(modelCall(change), signal)) events.push(event);
  return events;
}

export const textOf = (events: readonly ModelEvent[]): string =>
  events.map((event) => (event.type === 'text' ? event.text : '')).join('');

export const callsOf = (events: readonly ModelEvent[]) =>
  events.filter((event) => event.type === 'tool_call').map(({ name, input }) => [name, input]);

export const reasonOf = (events: readonly ModelEvent[]) => {
  const last = events.at(-1);
  return last?.type === 'finish' ? last.reason : undefined;
};

/** What a call fails with, which is one of our own errors. */
export async function failureOf(work: Promise<unknown>): Promise<TandemError> {
  const error = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!TandemError.isInstance(error)) throw new Error('no TandemError', { cause: error });
  return error;
}

/** All that an error may show. */
export const toldBy = (failure: TandemError): string =>
  [failure.message, failure.publicMessage, failure.stack, JSON.stringify(failure)].join();
