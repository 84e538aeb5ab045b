import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStandalone } from '@tandem/test-support/cluster';
import { startScriptedProvider } from '@tandem/test-support/provider';
import { expect, test } from 'vitest';
import { startSdk } from './harness/sdk.ts';

/** One transparent pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

test('a model that sees images is shown those of a message and of a file', async () => {
  await using cleanup = new AsyncDisposableStack();
  const provider = await startScriptedProvider();
  cleanup.defer(() => provider.close());
  const folder = mkdtempSync(join(tmpdir(), 'tandem-models-'));
  cleanup.defer(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'models.yaml');
  const deployment = `{ provider: openai-compatible, model: scripted, baseUrl: "${provider.baseUrl}" }`;
  writeFileSync(
    file,
    `models:\n  - id: scripted\n    supportsImages: true\n    deployments: [${deployment}]\n`,
  );
  const server = cleanup.use(await startStandalone({ TANDEM_MODELS_FILE: file }));
  const sdk = cleanup.use(await startSdk(server));
  writeFileSync(join(sdk.cwd, 'dot.png'), Buffer.from(PNG, 'base64'));
  provider.script('scripted', [
    {
      steps: [
        { type: 'tool_call', id: 'c1', name: 'read_file', arguments: '{"path":"dot.png"}' },
        { type: 'finish', reason: 'tool_calls' },
      ],
    },
    { steps: [{ type: 'text', text: 'Two dots.' }] },
  ]);
  const conversation = await sdk.create({ model: 'scripted' });
  const turn = await conversation.say('What is this?', [{ data: PNG, mimeType: 'image/png' }]);
  expect(turn).toMatchObject({ status: 'finished', result: 'Two dots.' });
  const images = (request: number) =>
    provider.requests[request]?.raw.split(`data:image/png;base64,${PNG}`).length;
  expect(images(0)).toBe(2);
  expect(images(1)).toBe(3);
}, 60_000);
