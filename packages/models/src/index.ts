export type { Clock } from '@tandem/errors';
export { costOf, deploymentName } from './call/call-model.ts';
export type { CallObserver, TryEnd, TryInfo, TryObserver } from './call/observer.ts';
export type { SecretSource } from './catalogue/secrets.ts';
export { type ConfiguredModels, createModels, type ModelsOptions } from './create-models.ts';
