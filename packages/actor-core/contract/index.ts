/** One suite a port, for Vitest; each adapter runs it. Not part of what a service loads. */
export * from './dispatch.ts';
export * from './leases.ts';
export * from './log.ts';
export type * from './opened.ts';
export * from './retention.ts';
export * from './signals.ts';
export * from './usage.ts';
export * from './worker.ts';
