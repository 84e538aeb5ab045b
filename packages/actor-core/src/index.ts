export type * from './actor/logic.ts';
export * from './ports/index.ts';
export * from './subject/turn-key.ts';
