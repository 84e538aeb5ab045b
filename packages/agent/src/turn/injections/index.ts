export { decideAction } from './decide-action.ts';
export { proceedQueued, returnQueued } from './deliver.ts';
export { evolveDelivered, evolveInjectionState, evolveQueued } from './queue.ts';
