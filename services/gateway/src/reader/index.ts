export type { ReaderEnd, ReaderObserver } from './observer.ts';
export { Reader } from './reader.ts';
export type { ReaderDeps, ReaderRequest } from './reader-types.ts';
export type { Sink } from './sink.ts';
export { READER_TIMINGS, type ReaderTimings } from './timings.ts';
