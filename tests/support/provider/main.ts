import { startScriptedProvider } from './scripted-provider.ts';

// Prints its port as one line and serves until it is told to stop; `control.ts` says how it is scripted.
const provider = await startScriptedProvider({ port: Number(process.argv[2] ?? 0) });
console.log(String(provider.port));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void provider.close());
