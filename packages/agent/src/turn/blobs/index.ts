export { decideBlobTimeout, decideKvAnswer, proceedBlobs, restartBlobClock } from './decide.ts';
export { evolveWrite, evolveWriteResult } from './evolve.ts';
export { isRejected, neededWrites, replaceWrites } from './pending-writes.ts';
export { isBlob } from './state.ts';
