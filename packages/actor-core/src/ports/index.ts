export type * from './clock.ts';
export type * from './dispatch.ts';
export type * from './leases.ts';
export type * from './log.ts';
export * from './log-errors.ts';
export type * from './signals.ts';
export type * from './usage.ts';
