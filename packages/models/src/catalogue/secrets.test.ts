import { readCatalogue } from '@tandem/platform';
import { expect, test } from 'vitest';
import { checkSecrets, readHeaders, readSecret, type SecretSource } from './secrets.ts';

const source: SecretSource = {
  env: { KEY: ' k1 ', EMPTY: '' },
  readTextFile: (path) => {
    if (path === '/run/key') return 'k2\n';
    throw new Error('ENOENT');
  },
};

test('follows references to variables and files', () => {
  expect(readSecret({ env: 'KEY' }, source)).toBe('k1');
  expect(readSecret({ file: '/run/key' }, source)).toBe('k2');
  expect(readHeaders({ plain: 'a', secret: { env: 'KEY' } }, source)).toEqual({ plain: 'a', secret: 'k1' });
});

test('is a matter of credentials when a file is gone', () => {
  expect(() => readSecret({ file: '/gone' }, source)).toThrow(
    expect.objectContaining({ reason: 'provider_auth' }),
  );
});

test('names all that lead nowhere, once each', () => {
  const deployment = (reference: string) => `{provider: openai, model: m, apiKey: {${reference}}}`;
  const text = `models:
  - {id: a, deployments: [${deployment('env: EMPTY')}, ${deployment('env: EMPTY')}, ${deployment('file: /gone')}]}
  - {id: b, deployments: [{provider: openai, model: m, headers: {x-key: {env: NONE}}}, ${deployment('env: KEY')}]}
  - {id: c, deployments: [{provider: bedrock, model: m, region: r, accessKey: {id: {env: KEY}, secret: {env: GONE}}}]}`;
  const catalogue = readCatalogue({ env: { TANDEM_MODELS_FILE: 'f' }, readTextFile: () => text });
  expect(() => checkSecrets(catalogue, source)).toThrow(
    expect.objectContaining({
      faults: [
        'a: the variable EMPTY is missing or empty',
        'a: the file /gone is missing or empty',
        'b: the variable NONE is missing or empty',
        'c: the variable GONE is missing or empty',
      ],
    }),
  );
});
