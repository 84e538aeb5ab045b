export type * from './actor/logic.ts';
export * from './ports/index.ts';
export * from './subject/turn-key.ts';
export * from './follow/index.ts';
export * from './memory/index.ts';
export * from './parts/index.ts';
