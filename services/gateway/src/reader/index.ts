export { Reader } from './reader.ts';
export type { ReaderDeps, ReaderEnd, ReaderObserver, ReaderRequest, Sink } from './reader-types.ts';
export { READER_TIMINGS, type ReaderTimings } from './timings.ts';
