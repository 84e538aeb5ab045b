import type { agent } from '@tandem/proto';
import { z } from 'zod';
import { NOT_UNDERSTOOD, query } from './steps.ts';
import { defineTool, errorText, text } from './tool.ts';

const question = z.strictObject({
  prompt: z.string().min(1).describe('The question.'),
  options: z.array(z.string().min(1)).min(2).max(10).describe('Answers to choose from.'),
  allow_multiple: z.boolean().optional().describe('More than one answer may be chosen.'),
});

const schema = z.strictObject({
  title: z.string().optional().describe('What the questions are about, in a few words.'),
  questions: z.array(question).min(1).max(10),
});
type Args = z.infer<typeof schema>;

export const askQuestionTool = defineTool({
  name: 'ask_question',
  kind: 'askQuestionToolCall',
  access: 'read',
  description:
    'Asks the user, and waits for the answer. Only for what matters and can be found out in no other way.',
  schema,
  offered: ({ user }) => user,
  shownArgs,
  shownFailure: (errorMessage) => ({ result: { case: 'error', value: { errorMessage } } }),
  *run(args, { callId }) {
    const value = { args: shownArgs(args), toolCallId: callId };
    const result = (yield* query('askQuestionInteractionQuery', value))?.result;
    switch (result?.result.case) {
      case 'success':
        return { result, output: text(answersText(args, result.result.value.answers)) };
      case 'async': {
        const said = 'The user was asked and will answer later. Go on without the answer, or end your turn.';
        return { result, output: text(said) };
      }
      case 'rejected': {
        const said = `The user does not answer. ${result.result.value.reason}`.trim();
        return { result, output: errorText(said) };
      }
      case 'error':
        return { result, output: errorText(result.result.value.errorMessage) };
      default:
        return { failure: NOT_UNDERSTOOD };
    }
  },
});

function answersText({ questions }: Args, answers: readonly agent.AskQuestionSuccess_Answer[]): string {
  return questions
    .map(({ prompt, options }, index) => {
      const given = answers.find(({ questionId }) => questionId === idOf(index));
      const chosen = (given?.selectedOptionIds ?? []).map((id) => options[Number(id) - 1] ?? id);
      const own = given?.freeformText.trim();
      const said = [...chosen, ...(own ? [own] : [])].join('; ');
      return `${prompt}\n${said || '(no answer)'}`;
    })
    .join('\n\n');
}

/** Ids count from 1, so that an answer can be told from none. */
function idOf(index: number): string {
  return String(index + 1);
}

function shownArgs({ title = '', questions }: Args) {
  return {
    title,
    questions: questions.map(({ prompt, options, allow_multiple: allowMultiple = false }, index) => ({
      id: idOf(index),
      prompt,
      allowMultiple,
      options: options.map((label, option) => ({ id: idOf(option), label })),
    })),
  };
}
