export { decideAttempt, decideResponseEnded, evolveAttempt } from './attempt.ts';
export { evolveExecSent, evolveQuerySent } from './sent-requests.ts';
