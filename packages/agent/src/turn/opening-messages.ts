import { create } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import type { TurnState } from './state.ts';
import { userMessages } from './wanted-blobs.ts';

/** The user messages that the turn begins with, oldest first; the last is the one that clients show for it. */
export function openingMessages({ request }: TurnState): agent.UserMessage[] {
  const action = request?.action?.action;
  if (action?.case !== 'backgroundTaskCompletionAction') return userMessages(request?.action);
  return [
    create(agent.UserMessageSchema, {
      text: completionText(action.value),
      isSimulatedMsg: true,
      simulatedMsgReason: agent.SimulatedMsgReason.BACKGROUND_TASK_COMPLETION,
    }),
  ];
}

const STATUS = {
  [agent.BackgroundTaskStatus.UNSPECIFIED]: 'has news',
  [agent.BackgroundTaskStatus.SUCCESS]: 'is done',
  [agent.BackgroundTaskStatus.ERROR]: 'has failed',
  [agent.BackgroundTaskStatus.ABORTED]: 'was stopped',
} as const;

function completionText({ completions, systemReminder }: agent.BackgroundTaskCompletionAction): string {
  const lines = completions.map((completion) => {
    const kind = completion.kind === agent.BackgroundTaskKind.SUBAGENT ? 'Subagent' : 'Shell';
    const title = completion.title ? ` "${completion.title}"` : '';
    const output = completion.outputPath ? `\nOutput: ${completion.outputPath}` : '';
    const detail = completion.detail ? `\n${completion.detail}` : '';
    return `${kind} ${completion.taskId}${title} ${STATUS[completion.status] ?? 'has news'}.${detail}${output}`;
  });
  const news = `<background_tasks>\n${lines.join('\n\n')}\n</background_tasks>`;
  return systemReminder ? `${news}\n\n${systemReminder}` : news;
}
