export * from './catalogue/index.ts';
export * from './config/index.ts';
export * from './log/index.ts';
export * from './metrics/index.ts';
export * from './shutdown/index.ts';
export * from './tokens/index.ts';
export * from './tracing/index.ts';
