import { describe, expect, it } from 'vitest';
import { callTool, execAnswer } from '../testing/call-tool.ts';
import { WRITTEN } from '../testing/tool-play.ts';
import { applyPatchTool } from './apply-patch.ts';

const PATCH = `*** Begin Patch
*** Update File: a.ts
-one
+two
*** Add File: b.ts
+new
*** Delete File: c.ts
*** Update File: d.ts
*** Move to: e.ts
*** End Patch`;

const read = (value: string) =>
  execAnswer({
    case: 'readResult',
    value: { result: { case: 'success', value: { path: 'x', output: { case: 'content', value } } } },
  });
const missing = execAnswer({
  case: 'readResult',
  value: { result: { case: 'fileNotFound', value: { path: 'x' } } },
});
const deleted = execAnswer({ case: 'deleteResult', value: { result: { case: 'success', value: {} } } });
const written = execAnswer(WRITTEN);
const READS = [read('one\n'), missing, read('old\n'), read('d\n')];

describe('apply_patch', () => {
  it('reads all files, then changes them in order', () => {
    const { asked, output, shown } = callTool(applyPatchTool, { patch: PATCH }, [
      ...READS,
      written,
      written,
      deleted,
      written,
      deleted,
    ]);
    const execs = asked.map((ask) => (ask.type === 'exec' ? ask.exec : undefined));
    expect(
      execs.map((exec) => `${exec?.case} ${exec?.value && 'path' in exec.value ? exec.value.path : ''}`),
    ).toEqual([
      'readArgs a.ts',
      'readArgs b.ts',
      'readArgs c.ts',
      'readArgs d.ts',
      'writeArgs a.ts',
      'writeArgs b.ts',
      'deleteArgs c.ts',
      'writeArgs e.ts',
      'deleteArgs d.ts',
    ]);
    expect(execs[4]).toMatchObject({ value: { fileText: 'two\n' } });
    expect(output).toEqual({
      type: 'text',
      value: 'Changed a.ts.\nMade b.ts.\nDeleted c.ts.\nMoved d.ts to e.ts.\nRemoved d.ts.',
    });
    expect(shown).toMatchObject({
      case: 'editToolCall',
      value: {
        args: { path: 'a.ts' },
        result: {
          result: {
            case: 'success',
            value: { linesAdded: 2, linesRemoved: 2, diffString: expect.stringContaining('+two') },
          },
        },
      },
    });
  });

  it.each([
    ['a patch that is none', 'hello', [], 'has to begin'],
    [
      'a place that is not there',
      PATCH,
      [read('other\n'), ...READS.slice(1)],
      'Nothing was changed: in a.ts these lines are not there',
    ],
    [
      'a file that is not there',
      PATCH,
      [missing, ...READS.slice(1)],
      'Nothing was changed: There is no file',
    ],
    [
      'a file that is named twice',
      '*** Begin Patch\n*** Delete File: a\n*** Delete File: a\n*** End Patch',
      [],
      'Nothing was changed: a is named twice',
    ],
    [
      'a write that the user does not allow',
      PATCH,
      [
        ...READS,
        written,
        execAnswer({ case: 'writeResult', value: { result: { case: 'rejected', value: { reason: 'no' } } } }),
      ],
      'Changed a.ts.\nThe user did not allow it. no\nThe rest was not done.',
    ],
    [
      'a deletion that fails',
      PATCH,
      [
        ...READS,
        written,
        written,
        execAnswer({
          case: 'deleteResult',
          value: { result: { case: 'fileBusy', value: { path: 'c.ts' } } },
        }),
      ],
      'Changed a.ts.\nMade b.ts.\nc.ts is in use.\nThe rest was not done.',
    ],
    ['an answer of another kind', PATCH, [...READS, deleted], 'Read a.ts to see what became of it'],
  ])('tells of %s', (_, patch, answers, said) => {
    const { output, shown } = callTool(applyPatchTool, { patch }, answers);
    expect(output).toEqual({ type: 'error-text', value: expect.stringContaining(said) });
    expect(shown).toMatchObject({ value: { result: { result: { case: 'error' } } } });
  });
});
