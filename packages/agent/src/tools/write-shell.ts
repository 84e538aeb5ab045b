import { z } from 'zod';
import { wireInt } from './inputs.ts';
import { ACT, exec, NOT_UNDERSTOOD } from './steps.ts';
import { defineTool, text } from './tool.ts';

const schema = z.strictObject({
  shell_id: wireInt(0).describe('The shell of a command that runs in the background.'),
  text: z.string().min(1).describe('What to type. End it with a line break to enter it.'),
});

export const writeShellTool = defineTool({
  name: 'write_to_command',
  kind: 'writeShellStdinToolCall',
  access: 'write',
  description: 'Types text into a command that runs in the background.',
  schema,
  shownArgs,
  shownFailure: (error) => ({ result: { case: 'error', value: { error } } }),
  *run(args) {
    const result = yield* exec('writeShellStdinArgs', shownArgs(args), ACT);
    if (result.case === 'error') return { failure: result.value.error };
    if (result.case !== 'success') return { failure: NOT_UNDERSTOOD };
    return { result: { result }, output: text(`Typed into shell ${args.shell_id}.`) };
  },
});

function shownArgs({ shell_id: shellId, text: chars }: z.infer<typeof schema>) {
  return { shellId, chars };
}
