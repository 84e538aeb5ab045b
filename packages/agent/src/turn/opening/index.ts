export { evolvePrewarm, evolveRunRequest, openRequest } from './evolve.ts';
export { keepUnopened } from './open-turn.ts';
export { decideActivated, proceedOpening } from './opening.ts';
