import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ModelCall, ModelInfo, Models } from '@tandem/agent';
import { type Clock, TandemError } from '@tandem/errors';
import {
  type Catalogue,
  type CatalogueModel,
  type Deployment,
  listModels,
  type ModelListing,
} from '@tandem/platform';
import { Agent, fetch as undiciFetch } from 'undici';
import { toCallOptions } from './adapter/call-options.ts';
import { watchDone } from './adapter/done-marker.ts';
import { type Family, familyOf } from './adapter/family.ts';
import { languageModelOf } from './adapter/language-model.ts';
import { streamAnswer } from './call/answer.ts';
import { callModel, deploymentName, type Try } from './call/call-model.ts';
import type { CallObserver } from './call/observer.ts';
import { checkSecrets, type SecretSource } from './catalogue/secrets.ts';
import { streamDemo } from './demo/demo-model.ts';

export interface ModelsOptions {
  readonly catalogue: Catalogue;
  /** Where the catalogue's references lead. */
  readonly secrets: SecretSource;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly observe?: CallObserver;
  /** Takes the place of real connections. */
  readonly fetch?: typeof globalThis.fetch;
}

export interface ConfiguredModels extends Models {
  /** The models that clients may choose from. */
  listing(): ModelListing[];
  /** Ends the connections to providers. Calls that still run are cut off. */
  close(): Promise<void>;
}

/**
 * The models of a catalogue, ready to be called.
 *
 * @throws CatalogueError when secrets that it refers to are missing, naming all of them.
 */
export function createModels(options: ModelsOptions): ConfiguredModels {
  const { catalogue, secrets, clock, random, observe = () => SILENT } = options;
  checkSecrets(catalogue, secrets);
  const byName = new Map<string, CatalogueModel>();
  for (const model of catalogue.models) {
    for (const name of [model.id, ...model.aliases, ...(model.default ? [''] : [])]) byName.set(name, model);
  }
  const connections = new Map<number, ProviderFetch>();
  const fetchFor = ({ timeouts: { connectMs } }: Deployment): typeof globalThis.fetch => {
    if (options.fetch) return options.fetch;
    const open = connections.get(connectMs) ?? createFetch(connectMs);
    connections.set(connectMs, open);
    return open.fetch;
  };

  const providers = new Map<Deployment, Provider>();
  const providerOf = (deployment: Deployment): Provider => {
    const known = providers.get(deployment);
    if (known) return known;
    const done = watchDone(fetchFor(deployment));
    const model = languageModelOf(deployment, secrets, done.fetch);
    const provider = { family: familyOf(deployment), model, doneSeen: done.seen };
    providers.set(deployment, provider);
    return provider;
  };

  const tryOnce =
    (model: CatalogueModel): Try =>
    (deployment, call, signal) => {
      const name = deploymentName(deployment);
      if (deployment.provider === 'demo') return streamDemo(call, name, clock, signal);
      const { family, model: languageModel, doneSeen } = providerOf(deployment);
      const open = async (abortSignal: AbortSignal) => {
        const provider = languageModel();
        const request = toCallOptions(call, model, deployment, family);
        return (await provider.doStream({ ...request, abortSignal })).stream;
      };
      const context = { deployment: name, timeouts: deployment.timeouts, clock, signal };
      return streamAnswer({ family, open, doneSeen }, context);
    };

  return {
    find: (name) => infoOf(byName.get(name)),
    async *call(call: ModelCall, signal: AbortSignal) {
      const model = byName.get(call.model);
      if (!model) throw new TandemError('model_not_found');
      yield* callModel(model, call, signal, { clock, random, observe, tryOnce: tryOnce(model) });
    },
    listing: () => listModels(catalogue),
    close: async () => {
      await Promise.all([...connections.values()].map((connection) => connection.close()));
    },
  };
}

/** What calls of one deployment have in common. */
interface Provider {
  readonly family: Family;
  readonly model: () => LanguageModelV4;
  readonly doneSeen: (signal: AbortSignal) => boolean;
}

const SILENT = { firstEvent: () => {}, ended: () => {} };

function infoOf(model: CatalogueModel | undefined): ModelInfo | undefined {
  return model && { id: model.id, contextWindow: model.contextWindow, supportsImages: model.supportsImages };
}

interface ProviderFetch {
  readonly fetch: typeof globalThis.fetch;
  /** Closes the connections that are left. */
  close(): Promise<void>;
}

/**
 * A fetch without time limits of its own but the connection's: how long an answer may take is decided per deployment.
 *
 * @param connectMs how long opening a socket may take.
 */
function createFetch(connectMs: number): ProviderFetch {
  const agent = new Agent({ connect: { timeout: connectMs }, headersTimeout: 0, bodyTimeout: 0 });
  return {
    fetch: ((input: string, init: RequestInit) =>
      undiciFetch(input, { ...(init as object), dispatcher: agent })) as unknown as typeof globalThis.fetch,
    close: () => agent.destroy(),
  };
}
