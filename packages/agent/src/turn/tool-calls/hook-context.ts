import type { agent } from '@tandem/proto';
import { cutEnd } from '../../tools/cut-text.ts';
import type { ToolOutput } from '../../tools/tool.ts';
import type { HookContext } from './state.ts';

/** Most characters that the model is given of one hook. */
const HOOK_CHARS = 10_000;

/** What comes with a client's answer to an exec. */
export function hookContexts({ message, hookAdditionalContexts }: agent.ExecClientMessage): HookContext[] {
  const event = message.case === 'shellStream' ? message.value.event : undefined;
  const streamed = event?.case === 'hookContext' ? event.value.hookAdditionalContexts : [];
  return [...streamed, ...hookAdditionalContexts]
    .filter(({ content }) => content.trim() !== '')
    .map(({ hookEventName, content }) => ({ hookEventName, content }));
}

/** The result as the model reads it, with what hooks had to say behind it. */
export function withHooks(output: ToolOutput, hooks: readonly HookContext[]): ToolOutput {
  if (hooks.length === 0) return output;
  const said = hooks.map(
    ({ hookEventName, content }) =>
      `[The user's hook ${hookEventName || '(unnamed)'} adds:]\n${cutEnd(content, HOOK_CHARS)}`,
  );
  const added = said.join('\n');
  if (output.type !== 'content') return { ...output, value: `${output.value}\n${added}` };
  return { ...output, value: [...output.value, { type: 'text', text: added }] };
}
