import { z } from 'zod';
import { execResult, NOT_UNDERSTOOD, notAllowed } from './answers.ts';
import { deleteFailure } from './delete.ts';
import { refuseChange, writeFailure } from './file-change.ts';
import { diffFile } from './file-diff.ts';
import { applyHunks } from './patch/apply-hunks.ts';
import { type FileOperation, parsePatch } from './patch/parse-patch.ts';
import { readAnswer } from './read.ts';
import { readForChange } from './read-for-change.ts';
import { type Answer, type Done, defineTool, errorText, PATIENT, text } from './tool.ts';

const schema = z.strictObject({
  patch: z.string().min(1).describe('From "*** Begin Patch" to "*** End Patch".'),
});
type Args = z.infer<typeof schema>;

/** One thing that the client is asked to do, and what it means. */
interface Step {
  readonly path: string;
  /** Undefined: the file is deleted. */
  readonly content: string | undefined;
  readonly message: string;
}

/** What the patch makes of the files as they are. */
interface Plan {
  readonly steps: readonly Step[];
  readonly diffs: readonly { path: string; before: string; after: string }[];
}

export const applyPatchTool = defineTool<Args>({
  name: 'apply_patch',
  kind: 'editToolCall',
  access: 'write',
  description: `Changes files by a patch. Either all of it can be applied, or nothing is changed. Its form:
*** Begin Patch
*** Update File: path/of/a/file
@@ a line above the change, to find its place
 a line that stays
-a line that goes
+a line that comes
*** Add File: path/of/another
+each line of it
*** Delete File: path/of/a/third
*** End Patch
"*** Move to: new/path" right below an Update line moves the file. Give three lines around each change.`,
  schema,
  files: (args) => paths(args),
  show: (args) => ({ case: 'editToolCall', value: { args: { path: shownPath(args) } } }),
  refuse: (args, reason) => refuseChange(shownPath(args), reason),
  next(args, answers, { callId }) {
    const operations = parsePatch(args.patch);
    if (typeof operations === 'string') return { done: fail(args, operations) };
    const twice = repeated(paths(args));
    if (twice) return { done: fail(args, `Nothing was changed: ${twice} is named twice.`) };
    const unread = operations[answers.length];
    if (unread) return readForChange(unread.path, callId);
    const plan = makePlan(operations, answers);
    if (typeof plan === 'string') return { done: fail(args, `Nothing was changed: ${plan}`) };
    const results = answers.slice(operations.length);
    for (const [index, step] of plan.steps.entries()) {
      const result = results[index];
      if (!result) return { ask: ask(step, callId) };
      const fault = failureOf(step, result);
      if (!fault) continue;
      const before = plan.steps.slice(0, index).map(({ message }) => message);
      return { done: fail(args, [...before, fault, 'The rest was not done.'].join('\n')) };
    }
    return { done: finish(args, plan) };
  },
});

function makePlan(operations: readonly FileOperation[], reads: readonly Answer[]): Plan | string {
  const steps: Step[] = [];
  const diffs: { path: string; before: string; after: string }[] = [];
  for (const [index, operation] of operations.entries()) {
    const { type, path } = operation;
    const before = contentOf(reads[index]);
    if (type === 'delete') {
      steps.push({ path, content: undefined, message: `Deleted ${path}.` });
      diffs.push({ path, before: before ?? '', after: '' });
    } else if (type === 'add') {
      const message = `${before === undefined ? 'Made' : 'Overwrote'} ${path}.`;
      steps.push({ path, content: operation.content, message });
      diffs.push({ path, before: before ?? '', after: operation.content });
    } else {
      if (before === undefined) return whyUnread(path, reads[index]);
      const applied = applyHunks(before, operation.hunks);
      if ('fault' in applied) return `in ${path} ${applied.fault}`;
      const target = operation.moveTo ?? path;
      const message = target === path ? `Changed ${path}.` : `Moved ${path} to ${target}.`;
      steps.push({ path: target, content: applied.text, message });
      if (target !== path) steps.push({ path, content: undefined, message: `Removed ${path}.` });
      diffs.push({ path: target, before, after: applied.text });
    }
  }
  return { steps, diffs };
}

function contentOf(answer: Answer | undefined): string | undefined {
  const result = execResult(answer, 'readResult')?.result;
  if (result?.case !== 'success' || result.value.truncated) return undefined;
  return result.value.output.case === 'data' ? undefined : (result.value.output.value ?? '');
}

function whyUnread(path: string, answer: Answer | undefined): string {
  const read = answer ? readAnswer(answer) : NOT_UNDERSTOOD;
  if (typeof read === 'string') return read;
  return read.truncated ? `${path} is too large to edit.` : `${path} is not a text file.`;
}

function ask({ path, content }: Step, toolCallId: string) {
  const exec =
    content === undefined
      ? ({ case: 'deleteArgs', value: { path, toolCallId } } as const)
      : ({ case: 'writeArgs', value: { path, fileText: content, toolCallId } } as const);
  return { type: 'exec', exec, deadline: PATIENT, repeatable: false } as const;
}

function failureOf({ path, content }: Step, answer: Answer): string | undefined {
  if (content === undefined) {
    const result = execResult(answer, 'deleteResult')?.result;
    return result?.case === 'success' ? undefined : deleteFailure(path, result ?? { case: undefined });
  }
  const result = execResult(answer, 'writeResult')?.result;
  if (result?.case === 'success') return undefined;
  if (result?.case === 'rejected') return notAllowed(result.value.reason);
  return writeFailure(path, result ?? { case: undefined });
}

function finish(args: Args, { steps, diffs }: Plan): Done {
  const changes = diffs.map(({ path, before, after }) => ({
    after,
    before,
    ...diffFile(path, before, after),
  }));
  const [only] = changes.length === 1 ? changes : [];
  const message = steps.map((step) => step.message).join('\n');
  const path = shownPath(args);
  return {
    shown: {
      case: 'editToolCall',
      value: {
        args: { path },
        result: {
          result: {
            case: 'success',
            value: {
              path,
              linesAdded: changes.reduce((sum, { linesAdded }) => sum + linesAdded, 0),
              linesRemoved: changes.reduce((sum, { linesRemoved }) => sum + linesRemoved, 0),
              diffString: changes.map((change) => change.text ?? '').join('\n'),
              beforeFullFileContent: only?.before,
              afterFullFileContent: only?.after ?? '',
              message,
            },
          },
        },
      },
    },
    output: text(message),
  };
}

function fail(args: Args, reason: string): Done {
  return { shown: refuseChange(shownPath(args), reason), output: errorText(reason) };
}

function paths({ patch }: Args): string[] {
  const operations = parsePatch(patch);
  if (typeof operations === 'string') return [];
  return operations.flatMap((operation) =>
    operation.type === 'update' && operation.moveTo ? [operation.path, operation.moveTo] : [operation.path],
  );
}

/** Clients show one path a change. */
function shownPath(args: Args): string {
  return paths(args)[0] ?? '';
}

function repeated(names: readonly string[]): string | undefined {
  return names.find((name, index) => names.indexOf(name) !== index);
}
