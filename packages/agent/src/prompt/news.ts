import { agent } from '@tandem/proto';

const STATUS = {
  [agent.BackgroundTaskStatus.UNSPECIFIED]: 'has news',
  [agent.BackgroundTaskStatus.SUCCESS]: 'is done',
  [agent.BackgroundTaskStatus.ERROR]: 'has failed',
  [agent.BackgroundTaskStatus.ABORTED]: 'was stopped',
} as const;

/** What a model is told when something that ran in the background has news. */
export function completionsText({
  completions,
  systemReminder,
}: Pick<agent.BackgroundTaskCompletionAction, 'completions' | 'systemReminder'>): string {
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

/** What a model is told when the user lets it carry out a plan. */
export function planText({
  plan,
  planFileContent,
  planFilePath,
  planFileUri,
}: agent.ExecutePlanAction): string {
  const text = (planFileContent || plan?.plan || '').trim();
  const path = planFilePath || planFileUri;
  const where = path ? ` It is kept in ${path}.` : '';
  const task = `Carry out the plan that we agreed on, completely and in its order.${where} Keep track of its steps, and say where you had to depart from it.`;
  return text ? `${task}\n\n<plan>\n${text}\n</plan>` : task;
}

/** What a model is told when the user has answered questions that it did not wait for. */
export function answersText({ originalArgs, result }: agent.AsyncAskQuestionCompletionAction): string {
  switch (result?.result.case) {
    case 'success': {
      const { answers } = result.result.value;
      const lines = answers.map((answer) => {
        const question = originalArgs?.questions.find(({ id }) => id === answer.questionId);
        const chosen = answer.selectedOptionIds.map(
          (id) => question?.options.find((option) => option.id === id)?.label ?? id,
        );
        const said = [...chosen, answer.freeformText].filter(Boolean).join('; ');
        return `${question?.prompt ?? answer.questionId}\n${said || '(no answer)'}`;
      });
      return `The user has answered your questions.\n\n${lines.join('\n\n')}`;
    }
    case 'rejected':
      return `The user did not answer your questions. ${result.result.value.reason}`.trim();
    case 'error':
      return `Your questions could not be put to the user. ${result.result.value.errorMessage}`.trim();
    default:
      return 'The user has closed your questions without an answer.';
  }
}

/** What a model is told when it is to go on with a goal by itself. */
export function goalText(): string {
  return 'Go on working towards the goal of this conversation. If it is reached, or if you can get no further without the user, say so and stop.';
}
