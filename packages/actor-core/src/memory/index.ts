// Adapters that need no engine: for one process, and for tests.
export * from './memory-dispatch.ts';
export * from './memory-leases.ts';
export * from './memory-log.ts';
export * from './memory-retention.ts';
export * from './memory-signals.ts';
export * from './memory-usage.ts';
