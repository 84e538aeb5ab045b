import type { TurnState } from '../state.ts';

/** The model that the client asked for; nested runs name it in their model details. Empty when it named none. */
export function requestedModel({ request }: TurnState): string {
  return request?.run.requestedModel?.modelId || request?.run.modelDetails?.modelId || '';
}

/** Parameters that the client chose for the model. */
export function modelParameters({ request }: TurnState): Record<string, string> {
  const parameters = request?.run.requestedModel?.parameters ?? [];
  return Object.fromEntries(parameters.map(({ id, value }) => [id, value]));
}
