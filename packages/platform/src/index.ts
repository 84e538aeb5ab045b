export * from './catalogue/index.ts';
export * from './config/index.ts';
export * from './log/index.ts';
export * from './metrics/index.ts';
export * from './tracing/index.ts';
