import type { agent } from '@tandem/proto';

/** What the client's surroundings, not its user, have to say to the model. */
export function systemContext({ producer, content }: agent.SystemContextInjection): string {
  const from = producer ? ` from=${JSON.stringify(producer)}` : '';
  return `<system_context${from}>\n${content}\n</system_context>`;
}
