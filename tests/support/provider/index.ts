export type { ScriptedProvider } from './control.ts';
export { type ModelPortOptions, playModel } from './model-port.ts';
export type { ProviderBody, ProviderMessage, ProviderRequest } from './request.ts';
export { contextTooLong, echo, type Reply, type Script, type Step } from './script.ts';
export { startScriptedProvider } from './scripted-provider.ts';
