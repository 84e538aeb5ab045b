export { type ModelPortOptions, playModel } from './model-port.ts';
export type { ProviderBody, ProviderMessage, ProviderRequest } from './request.ts';
export { contextTooLong, echo, type Reply, type Script, type Step } from './script.ts';
export { type ScriptedProvider, startScriptedProvider } from './scripted-provider.ts';
