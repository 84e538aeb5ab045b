export {
  beginEnding,
  decideEndingTimeout,
  decideOrphaned,
  evolveEnding,
  proceedEnding,
} from './ending.ts';
