import type { agent } from '@tandem/proto';
import { z } from 'zod';
import { NOT_UNDERSTOOD, queryResult } from './answers.ts';
import { defineTool, errorText, type ShownTool, text } from './tool.ts';

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

export const askQuestionTool = defineTool<Args>({
  name: 'ask_question',
  kind: 'askQuestionToolCall',
  access: 'read',
  description:
    'Asks the user, and waits for the answer. Only for what matters and can be found out in no other way.',
  schema,
  show: (args) => ({ case: 'askQuestionToolCall', value: { args: wireArgs(args) } }),
  refuse,
  next(args, [answer], { callId }) {
    if (!answer) {
      const value = { args: wireArgs(args), toolCallId: callId };
      return { ask: { type: 'query', query: { case: 'askQuestionInteractionQuery', value } } };
    }
    const response = queryResult(answer, 'askQuestionInteractionResponse')?.result;
    const result = response?.result;
    const shown: ShownTool = {
      case: 'askQuestionToolCall',
      value: { args: wireArgs(args), result: response },
    };
    switch (result?.case) {
      case 'success':
        return { done: { shown, output: text(answersText(args, result.value.answers)) } };
      case 'async':
        return {
          done: {
            shown,
            output: text(
              'The user was asked and will answer later. Go on without the answer, or end your turn.',
            ),
          },
        };
      case 'rejected':
        return {
          done: { shown, output: errorText(`The user does not answer. ${result.value.reason}`.trim()) },
        };
      case 'error':
        return { done: { shown, output: errorText(result.value.errorMessage) } };
      default:
        return { done: { shown: refuse(args, NOT_UNDERSTOOD), output: errorText(NOT_UNDERSTOOD) } };
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

function wireArgs({ title = '', questions }: Args) {
  return {
    title,
    questions: questions.map(({ prompt, options, allow_multiple: allowMultiple = false }, index) => ({
      id: idOf(index),
      prompt,
      allowMultiple,
      options: options.map((label, option) => ({ id: String(option + 1), label })),
    })),
  };
}

function refuse(args: Args, errorMessage: string): ShownTool {
  return {
    case: 'askQuestionToolCall',
    value: { args: wireArgs(args), result: { result: { case: 'error', value: { errorMessage } } } },
  };
}
