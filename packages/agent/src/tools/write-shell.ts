import { z } from 'zod';
import { execResult, NOT_UNDERSTOOD } from './answers.ts';
import { defineTool, errorText, PATIENT, type ShownTool, text } from './tool.ts';
import { wireInt } from './wire-numbers.ts';

const schema = z.strictObject({
  shell_id: wireInt(0).describe('The shell of a command that runs in the background.'),
  text: z.string().min(1).describe('What to type. End it with a line break to enter it.'),
});
type Args = z.infer<typeof schema>;

export const writeShellTool = defineTool<Args>({
  name: 'write_to_command',
  kind: 'writeShellStdinToolCall',
  access: 'write',
  description: 'Types text into a command that runs in the background.',
  schema,
  show: (args) => ({ case: 'writeShellStdinToolCall', value: { args: wireArgs(args) } }),
  refuse,
  next(args, [answer]) {
    if (!answer) {
      const exec = { case: 'writeShellStdinArgs', value: wireArgs(args) } as const;
      return { ask: { type: 'exec', exec, deadline: PATIENT, repeatable: false } };
    }
    const result = execResult(answer, 'writeShellStdinResult')?.result;
    if (result?.case === 'success') {
      const value = { args: wireArgs(args), result: { result } };
      const output = text(`Typed into shell ${args.shell_id}.`);
      return { done: { shown: { case: 'writeShellStdinToolCall', value }, output } };
    }
    const error = result?.case === 'error' ? result.value.error : NOT_UNDERSTOOD;
    return { done: { shown: refuse(args, error), output: errorText(error) } };
  },
});

function wireArgs({ shell_id: shellId, text: chars }: Args) {
  return { shellId, chars };
}

function refuse(args: Args, error: string): ShownTool {
  return {
    case: 'writeShellStdinToolCall',
    value: { args: wireArgs(args), result: { result: { case: 'error', value: { error } } } },
  };
}
