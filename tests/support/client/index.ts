export { holdAttempt, type Ways } from './hold-attempt.ts';
