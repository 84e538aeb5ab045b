import { readArguments } from '../command/command.ts';
import { startScriptedProvider } from './scripted-provider.ts';

const { positionals } = readArguments({
  call: 'node tests/support/provider/main.ts',
  about:
    'Serves a scripted provider on loopback until it is stopped, and prints its port; control.ts says how it is scripted.',
  flags: {},
  positionals: { port: 'where; any free one unless told' },
});
const provider = await startScriptedProvider({ port: Number(positionals[0] ?? 0) });
console.log(String(provider.port));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void provider.close());
