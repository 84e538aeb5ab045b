import { describe, expect, it } from 'vitest';
import { listModels, modelListingSchema } from './model-listing.ts';
import { CatalogueError, readCatalogue } from './read-catalogue.ts';

const noFile = (path: string): string => {
  throw new Error(`ENOENT: ${path}`);
};
const fromEnv = (env: Record<string, string>) => readCatalogue({ env, readTextFile: noFile });
const fromYaml = (text: string) =>
  readCatalogue({ env: { TANDEM_MODELS_FILE: 'models.yaml' }, readTextFile: () => text });

function faultsOf(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof CatalogueError) return error.faults;
    throw error;
  }
  return [];
}

describe('from the environment alone', () => {
  it('offers the demo model, named as such, when nothing is configured', () => {
    const [model, ...others] = listModels(fromEnv({}));
    expect(others).toEqual([]);
    expect(model).toMatchObject({ id: 'demo', aliases: ['default', 'auto'] });
    expect(model?.displayName).toMatch(/demo.*not a real model/i);
  });

  it('offers OpenAI for a key, keeping the key a reference', () => {
    const { models } = fromEnv({ OPENAI_API_KEY: 'sk-secret' });
    expect(models.length).toBeGreaterThan(0);
    expect(models[0]).toMatchObject({
      default: true,
      deployments: [{ provider: 'openai', apiKey: { env: 'OPENAI_API_KEY' } }],
    });
    expect(JSON.stringify(models)).not.toContain('sk-secret');
  });

  it('speaks the compatible form to a base URL that is not OpenAI’s, without a key too', () => {
    const { models } = fromEnv({ OPENAI_BASE_URL: 'http://localhost:1/v1', TANDEM_OPENAI_MODELS: 'a, b' });
    expect(models.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(models[0]?.deployments[0]).toMatchObject({
      provider: 'openai-compatible',
      model: 'a',
      baseUrl: 'http://localhost:1/v1',
    });
    expect(models[0]?.deployments[0]?.apiKey).toBeUndefined();
  });

  it('asks for the names of models that it cannot know', () => {
    expect(faultsOf(() => fromEnv({ OPENAI_BASE_URL: 'http://localhost:1/v1' }))).toEqual(
      expect.arrayContaining([expect.stringContaining('TANDEM_OPENAI_MODELS')]),
    );
  });

  it('has one default among several providers', () => {
    const { models } = fromEnv({
      OPENAI_API_KEY: 'a',
      ANTHROPIC_API_KEY: 'b',
      TANDEM_ANTHROPIC_MODELS: 'claude-x',
    });
    expect(models.filter((model) => model.default)).toHaveLength(1);
    expect(models.at(-1)).toMatchObject({ id: 'claude-x', deployments: [{ provider: 'anthropic' }] });
  });
});

describe('from a file', () => {
  it('fills in defaults and lists what clients may know', () => {
    const catalogue = fromYaml(`
models:
  - id: quick
    aliases: [auto]
    deployments: [{provider: openai-compatible, model: q, baseUrl: http://q/v1, apiKey: {file: /run/q}}]
  - id: deep
    displayName: Deep
    default: true
    parameters: [{id: effort, sets: reasoning, default: high, values: [{value: low}, {value: high}]}]
    deployments:
      - {provider: anthropic, model: claude-x, apiKey: {env: KEY}, timeouts: {idleMs: 5}}
      - {provider: openai, model: gpt-x, headers: {x-team: blue, x-api-key: {env: K2}}}
`);
    expect(catalogue.models[1]?.deployments[0]?.timeouts).toEqual({
      connectMs: 10_000,
      firstEventMs: 180_000,
      idleMs: 5,
    });
    const listing = listModels(catalogue);
    expect(modelListingSchema.array().parse(listing)).toEqual(listing);
    expect(listing).toEqual([
      {
        id: 'deep',
        displayName: 'Deep',
        aliases: ['default'],
        parameters: [{ id: 'effort', values: [{ value: 'low' }, { value: 'high' }] }],
      },
      { id: 'quick', displayName: 'quick', aliases: ['auto'], parameters: [] },
    ]);
  });

  it('tells all faults at once, with their places, and no value', () => {
    const faults = faultsOf(() =>
      fromYaml(`
models:
  - id: "not ok"
    deployments: [{provider: openai, model: m, apiKey: sk-inline-secret}]
  - id: a
    default: true
    deployments: [{provider: openai-compatible, headers: {Authorization: Bearer sk-inline-secret}}]
  - id: b
    aliases: [a]
    default: true
    colour: red
    deployments: []
`),
    );
    const text = faults.join('\n');
    expect(text).toContain('models[0].id');
    expect(text).toContain('models[0].deployments[0].apiKey');
    expect(text).toContain('models[1].deployments[0].headers.Authorization');
    expect(text).toContain('models[2]');
    expect(text).toContain('colour');
    expect(text).not.toContain('sk-inline-secret');
  });

  it.each([
    [
      'two of one name',
      'models: [{id: a, deployments: [{provider: demo}]}, {id: b, aliases: [a], deployments: [{provider: demo}]}]',
      '"a" is used twice',
    ],
    ['no model', 'models: []', 'models'],
    ['nothing', '', 'the whole'],
    ['no YAML', 'models: [', 'models.yaml'],
    [
      'a password in a URL',
      'models: [{id: a, deployments: [{provider: openai, model: m, baseUrl: "http://u:p@h/v1"}]}]',
      'baseUrl',
    ],
    [
      'Azure without an address, and a dated version of its Responses API',
      'models: [{id: a, deployments: [{provider: azure, model: m, apiVersion: "2024-10-21", api: responses}]}]',
      /resource.*\n?.*apiKey.*\n?.*api\b/s,
    ],
    ['Gemini without a key', 'models: [{id: a, deployments: [{provider: google, model: m}]}]', 'apiKey'],
    [
      'Vertex AI without project and location',
      'models: [{id: a, deployments: [{provider: google-vertex, model: m}]}]',
      /project.*\n?.*location/s,
    ],
    ['Bedrock without a region', 'models: [{id: a, deployments: [{provider: bedrock, model: m}]}]', 'region'],
    [
      'a region that is more than part of a host’s name',
      'models: [{id: a, deployments: [{provider: bedrock, model: m, region: "x.evil.example/"}]}]',
      'region',
    ],
    [
      'two kinds of key to Bedrock',
      'models: [{id: a, deployments: [{provider: bedrock, model: m, region: r, apiKey: {env: A}, accessKey: {id: {env: B}, secret: {env: C}}}]}]',
      'accessKey',
    ],
  ])('refuses %s', (_, text, fault) => {
    expect(() => fromYaml(text)).toThrow(fault);
  });

  it('says which file is missing', () => {
    expect(() => readCatalogue({ env: { TANDEM_MODELS_FILE: '/no/such' }, readTextFile: noFile })).toThrow(
      '/no/such',
    );
  });
});
