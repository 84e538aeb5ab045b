import type { agent } from '@tandem/proto';

type Resolutions = agent.InterruptedPendingToolCallResolutions | undefined;

/** What the client knows of a call that was out when the user stopped the turn, as the model reads it. */
export function resolutionText(resolutions: Resolutions, callId: string): string | undefined {
  const found = resolutions?.resolutions.find(({ toolCallId }) => toolCallId === callId)?.resolution;
  switch (found?.case) {
    case 'shellResult':
      return `Stopped by the user. ${shellText(found.value)}`.trim();
    case 'taskResult':
      return `Stopped by the user. ${taskText(found.value)}`.trim();
    default:
      return undefined;
  }
}

function shellText({ result }: agent.ShellResult): string {
  switch (result.case) {
    case 'success':
    case 'failure': {
      const { stdout, stderr, exitCode } = result.value;
      const output = [stdout, stderr].filter(Boolean).join('\n').slice(-OUTPUT_CHARS);
      return `It had printed:\n${output}\n[Exit code ${exitCode}]`;
    }
    case 'rejected':
      return 'It was not allowed to run.';
    case 'spawnError':
    case 'permissionDenied':
      return `It was not run: ${result.value.error}`;
    default:
      return '';
  }
}

/** Most characters that are kept of a stopped command's output, from its end. */
const OUTPUT_CHARS = 16_000;

function taskText({ result }: agent.TaskResult): string {
  if (result.case === 'error') return `It had failed: ${result.value.error}`;
  if (result.case !== 'success') return '';
  const said = result.value.conversationSteps.findLast(({ message }) => message.case === 'assistantMessage');
  return said?.message.case === 'assistantMessage'
    ? `The subagent had last said:\n${said.message.value.text}`
    : '';
}
