import { z } from 'zod';
import { deleteFailure } from './delete.ts';
import { failedChange, readWhole, type Unread, writeFailure } from './file-change.ts';
import { diffFile } from './file-diff.ts';
import { applyHunks } from './patch/apply-hunks.ts';
import { type FileOperation, parsePatch } from './patch/parse-patch.ts';
import { ACT, exec, notAllowed, type Steps } from './steps.ts';
import { defineTool, text } from './tool.ts';

const schema = z.strictObject({
  patch: z.string().min(1).describe('From "*** Begin Patch" to "*** End Patch".'),
});
type Args = z.infer<typeof schema>;

export const applyPatchTool = defineTool({
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
  offered: ({ patches }) => patches,
  files: paths,
  shownArgs: (args) => ({ path: shownPath(args) }),
  shownFailure: (reason, args) => failedChange(shownPath(args), reason),
  *run(args, { callId }) {
    const operations = parsePatch(args.patch);
    if (typeof operations === 'string') return { failure: operations };
    const twice = paths(args).find((path, index, all) => all.indexOf(path) !== index);
    if (twice) return { failure: `Nothing was changed: ${twice} is named twice.` };
    const found: (string | Unread)[] = [];
    for (const { path } of operations) found.push(yield* readWhole(path, callId));
    const plan = makePlan(operations, found);
    if (typeof plan === 'string') return { failure: `Nothing was changed: ${plan}` };
    const done: string[] = [];
    for (const { path, content, message } of plan.steps) {
      const fault = yield* content === undefined ? remove(path, callId) : write(path, content, callId);
      if (fault) return { failure: [...done, fault, 'The rest was not done.'].join('\n') };
      done.push(message);
    }
    const message = done.join('\n');
    const value = { path: shownPath(args), ...shownDiffs(plan.diffs), message };
    return { result: { result: { case: 'success', value } }, output: text(message) };
  },
});

/** What the patch makes of the files as they are. */
interface Plan {
  /** What the client is asked to do, and what that means; without content a file is deleted. */
  readonly steps: { path: string; content: string | undefined; message: string }[];
  readonly diffs: { path: string; before: string; after: string }[];
}

function makePlan(operations: readonly FileOperation[], found: readonly (string | Unread)[]): Plan | string {
  const { steps, diffs }: Plan = { steps: [], diffs: [] };
  for (const [index, operation] of operations.entries()) {
    const { type, path } = operation;
    const read = found[index] as string | Unread;
    const before = typeof read === 'string' ? read : '';
    if (type === 'delete') {
      steps.push({ path, content: undefined, message: `Deleted ${path}.` });
      diffs.push({ path, before, after: '' });
    } else if (type === 'add') {
      const message = `${typeof read === 'string' ? 'Overwrote' : 'Made'} ${path}.`;
      steps.push({ path, content: operation.content, message });
      diffs.push({ path, before, after: operation.content });
    } else {
      if (typeof read !== 'string') return read.reason;
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

/** Undefined, or why it was not done. */
function* write(path: string, fileText: string, toolCallId: string): Steps<string | undefined> {
  const result = yield* exec('writeArgs', { path, fileText, toolCallId }, ACT);
  if (result.case === 'success') return undefined;
  return result.case === 'rejected' ? notAllowed(result.value.reason) : writeFailure(path, result);
}

/** Undefined, or why it was not done. */
function* remove(path: string, toolCallId: string): Steps<string | undefined> {
  const result = yield* exec('deleteArgs', { path, toolCallId }, ACT);
  return result.case === 'success' ? undefined : deleteFailure(path, result);
}

function shownDiffs(diffs: Plan['diffs']) {
  const changes = diffs.map(({ path, before, after }) => diffFile(path, before, after));
  const [only] = diffs.length === 1 ? diffs : [];
  return {
    linesAdded: changes.reduce((sum, { linesAdded }) => sum + linesAdded, 0),
    linesRemoved: changes.reduce((sum, { linesRemoved }) => sum + linesRemoved, 0),
    diffString: changes.map((change) => change.text ?? '').join('\n'),
    beforeFullFileContent: only?.before,
    afterFullFileContent: only?.after ?? '',
  };
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
