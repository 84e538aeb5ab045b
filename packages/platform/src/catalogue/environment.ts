import * as kind from '../config/kinds.ts';
import { foreign, setting } from '../config/setting.ts';
import type { CatalogueInput } from './schema.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type ModelInput = CatalogueInput['models'][number];

const name = kind.optional(kind.text());
const names = kind.optional(kind.list());
const address = kind.optional(kind.url({ protocols: ['http', 'https'] }));

/** The variables that `readCatalogue` looks at, for those who describe them; there are no arguments of these names. */
export const catalogueSettings = {
  file: setting(
    'MODELS_FILE',
    name,
    '[the catalogue of models](#models-file); with it, the other variables here only count where it refers to them',
  ),
  openaiKey: foreign('OPENAI_API_KEY', name, {
    secret: true,
    description: 'the key to OpenAI, whose models are then offered',
  }),
  openaiUrl: foreign('OPENAI_BASE_URL', address, {
    secret: false,
    description: 'a server that speaks the API of OpenAI, instead of that',
  }),
  openaiModels: setting(
    'OPENAI_MODELS',
    names,
    'which of its models to offer; a server of your own needs it',
  ),
  anthropicKey: foreign('ANTHROPIC_API_KEY', name, {
    secret: true,
    description: 'the key to Anthropic, whose models are then offered',
  }),
  anthropicUrl: foreign('ANTHROPIC_BASE_URL', address, {
    secret: false,
    description: 'a server that speaks the API of Anthropic, instead of that',
  }),
  anthropicModels: setting('ANTHROPIC_MODELS', names, 'which of its models to offer'),
};

const REASONING_EFFORT: NonNullable<ModelInput['parameters']>[number] = {
  id: 'effort',
  displayName: 'Thinking',
  sets: 'reasoning',
  values: [
    { value: 'low', displayName: 'Low' },
    { value: 'medium', displayName: 'Medium' },
    { value: 'high', displayName: 'High' },
  ],
};

const OPENAI_DEFAULTS = ['gpt-6.1-sol', 'gpt-6-luna'];
const ANTHROPIC_DEFAULTS = ['claude-sonnet-5-5', 'claude-opus-5-5', 'claude-haiku-5-5'];

/** The model that is offered when nothing is configured. */
export const DEMO_MODEL: ModelInput = {
  id: 'demo',
  displayName: 'Demo (built in, not a real model)',
  description: 'Answers with canned text, so that a first run needs no key.',
  contextWindow: 100_000,
  default: true,
  deployments: [{ provider: 'demo' }],
};

/**
 * The catalogue that environment variables alone describe: OpenAI and Anthropic as far as their key, base URL or list
 * of models is set, else the demo model. Faults are appended to `faults` with the variable's name.
 */
export function environmentCatalogue(env: Environment, faults: string[]): CatalogueInput {
  const models = [...openaiModels(env, faults), ...anthropicModels(env)];
  return { models: models.length > 0 ? models : [DEMO_MODEL] };
}

function openaiModels(env: Environment, faults: string[]): ModelInput[] {
  const baseUrl = set(env.OPENAI_BASE_URL);
  const listed = list(env.TANDEM_OPENAI_MODELS);
  if (!set(env.OPENAI_API_KEY) && !baseUrl && listed.length === 0) return [];
  const foreign = baseUrl !== undefined && !isOpenAi(baseUrl);
  if (foreign && listed.length === 0) {
    faults.push('TANDEM_OPENAI_MODELS: name the models that OPENAI_BASE_URL offers, separated by commas');
    return [];
  }
  const key = set(env.OPENAI_API_KEY) ? { apiKey: { env: 'OPENAI_API_KEY' } } : {};
  return (listed.length > 0 ? listed : OPENAI_DEFAULTS).map((model) => ({
    id: model,
    supportsImages: !foreign,
    ...(foreign ? {} : { contextWindow: 272_000, parameters: [REASONING_EFFORT] }),
    deployments: [{ provider: foreign ? 'openai-compatible' : 'openai', model, baseUrl, ...key }],
  }));
}

function anthropicModels(env: Environment): ModelInput[] {
  const baseUrl = set(env.ANTHROPIC_BASE_URL);
  const listed = list(env.TANDEM_ANTHROPIC_MODELS);
  if (!set(env.ANTHROPIC_API_KEY) && !baseUrl && listed.length === 0) return [];
  const key = set(env.ANTHROPIC_API_KEY) ? { apiKey: { env: 'ANTHROPIC_API_KEY' } } : {};
  return (listed.length > 0 ? listed : ANTHROPIC_DEFAULTS).map((model) => ({
    id: model,
    contextWindow: 200_000,
    supportsImages: true,
    parameters: [REASONING_EFFORT],
    deployments: [{ provider: 'anthropic', model, baseUrl, ...key }],
  }));
}

/** Whether a base URL is OpenAI's own, whose newer API and model names can be relied on. */
export function isOpenAi(baseUrl: string): boolean {
  return URL.canParse(baseUrl) && new URL(baseUrl).hostname.endsWith('.openai.com');
}

function set(value: string | undefined): string | undefined {
  return value?.trim() || undefined;
}

function list(value: string | undefined): string[] {
  return (value ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
}
