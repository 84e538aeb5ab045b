export {
  evolveLoaded,
  evolveRead,
  evolveReadResult,
  extendRestore,
  restored,
  startRestore,
} from './evolve.ts';
export { askBlob, proceedRestore } from './load-blobs.ts';
export { contentBlobs } from './wanted-blobs.ts';
