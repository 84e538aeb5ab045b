export type { ReaderEnd, ReaderObserver } from './observer.ts';
export { Reader, type ReaderDeps, type ReaderRequest } from './reader.ts';
export type { Sink } from './sink.ts';
export { READER_TIMINGS, type ReaderTimings } from './timings.ts';
