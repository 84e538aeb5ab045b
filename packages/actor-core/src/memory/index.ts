export * from './memory-dispatch.ts';
export * from './memory-leases.ts';
export * from './memory-log.ts';
export * from './memory-retention.ts';
export * from './memory-signals.ts';
export * from './seeded-entropy.ts';
export * from './system.ts';
export * from './virtual-clock.ts';
