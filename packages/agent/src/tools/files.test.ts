import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { describe, expect, it } from 'vitest';
import { callTool, execAnswer, TEST_CONTEXT } from '../testing/call-tool.ts';
import { OUTPUT_CHARS } from './cut-text.ts';
import { deleteTool } from './delete.ts';
import { editTool } from './edit.ts';
import { lsTool } from './ls.ts';
import { readTool } from './read.ts';
import { writeTool } from './write.ts';

const UNKNOWN = execAnswer({ case: undefined });

function read(
  content: string,
  more: Omit<MessageInitShape<typeof agent.ReadSuccessSchema>, '$typeName'> = {},
) {
  const totalLines = content.split('\n').length;
  return execAnswer({
    case: 'readResult',
    value: {
      result: {
        case: 'success',
        value: { path: '/w/a.ts', output: { case: 'content', value: content }, totalLines, ...more },
      },
    },
  });
}

const missing = execAnswer({
  case: 'readResult',
  value: { result: { case: 'fileNotFound', value: { path: '/w/a.ts' } } },
});
const written = execAnswer({
  case: 'writeResult',
  value: { result: { case: 'success', value: { path: '/w/a.ts' } } },
});

describe('read_file', () => {
  it('asks for a bounded range and numbers the lines', () => {
    const { asked, shown, output } = callTool(readTool, { path: 'a.ts' }, [read('one\ntwo\n')]);
    expect(asked).toMatchObject([
      {
        exec: { case: 'readArgs', value: { path: 'a.ts', limit: 2000, toolCallId: 'c1' } },
        repeatable: true,
      },
    ]);
    expect(output).toEqual({ type: 'text', value: '     1|one\n     2|two' });
    expect(shown).toMatchObject({
      case: 'readToolCall',
      value: { result: { result: { case: 'success', value: { totalLines: 2, exceededLimit: false } } } },
    });
  });

  it('cuts a range out of a file that was given whole, and says what is left', () => {
    const { output } = callTool(readTool, { path: 'a', offset: 2, limit: 1 }, [read('one\ntwo\nthree')]);
    expect(output?.value).toBe('     2|two\n[Lines 3 to 3 are not shown; read on with offset 3.]');
  });

  it('takes a range as it is when the client applied it', () => {
    const answer = read('two\n', { rangeApplied: true, totalLines: 9 });
    const { output } = callTool(readTool, { path: 'a', offset: 2, limit: 1 }, [answer]);
    expect(output?.value).toBe('     2|two\n[Lines 3 to 9 are not shown; read on with offset 3.]');
  });

  it('takes what follows the last line end for no line', () => {
    const answer = read('one\ntwo\n', { rangeApplied: true, totalLines: 3 });
    expect(callTool(readTool, { path: 'a' }, [answer]).output?.value).toBe('     1|one\n     2|two');
  });

  it.each([
    ['an empty file', '', {}, 'The file is empty.'],
    ['a place past the end', 'a\nb', { offset: 9 }, 'There is no line 9: the file has 2 lines.'],
  ])('says so of %s', (_, content, range, said) => {
    expect(callTool(readTool, { path: 'a', ...range }, [read(content)]).output?.value).toBe(said);
  });

  it('keeps within the limit', () => {
    const { output, shown } = callTool(readTool, { path: 'a' }, [read(`${'x'.repeat(990)}\n`.repeat(1000))]);
    expect(String(output?.value).length).toBeLessThan(OUTPUT_CHARS + 200);
    expect(output?.value).toMatch(/\[Lines \d+ to 1000 are not shown; read on with offset \d+\.\]$/);
    expect(shown).toMatchObject({ value: { result: { result: { value: { exceededLimit: true } } } } });
  });

  it('shows images as images, and other bytes not at all', () => {
    const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 1, 2]);
    const image = read('', { output: { case: 'data', value: png } });
    expect(callTool(readTool, { path: 'a.png' }, [image]).output).toEqual({
      type: 'content',
      value: [{ type: 'media', mediaType: 'image/png', data: Buffer.from(png).toString('base64') }],
    });
    const other = read('', { output: { case: 'data', value: new Uint8Array([1, 2]) } });
    expect(callTool(readTool, { path: 'a.dat' }, [other]).output?.type).toBe('error-text');
  });

  it.each([
    [{ case: 'fileNotFound', value: { path: 'a' } } as const, 'There is no file a.'],
    [{ case: 'permissionDenied', value: { path: 'a' } } as const, 'a may not be read.'],
    [
      { case: 'invalidFile', value: { path: 'a', reason: 'a folder' } } as const,
      "a can't be read as text or image: a folder",
    ],
    [{ case: 'rejected', value: { path: 'a', reason: 'no' } } as const, 'The user did not allow it. no'],
    [{ case: 'error', value: { path: 'a', error: 'EIO' } } as const, 'a could not be read: EIO'],
    [{ case: undefined } as const, 'The client gave an answer that is not understood.'],
  ])('tells a failure: %j', (result, said) => {
    const { output, shown } = callTool(readTool, { path: 'a' }, [
      execAnswer({ case: 'readResult', value: { result } }),
    ]);
    expect(output).toEqual({ type: 'error-text', value: said });
    expect(shown).toMatchObject({
      value: { result: { result: { case: 'error', value: { errorMessage: said } } } },
    });
  });

  it.each([{}, { path: '' }, { path: 'a', offset: 0 }, { path: 'a', limit: 'x' }, { path: 'a', other: 1 }])(
    'refuses arguments %j',
    (input) => {
      expect(readTool.bind(input, TEST_CONTEXT)).toBeTypeOf('string');
    },
  );
});

describe('write_file', () => {
  it('reads what is there, writes, and shows the change', () => {
    const { asked, shown, output } = callTool(writeTool, { path: 'a.ts', content: 'b\nc\n' }, [
      read('a\nc\n'),
      written,
    ]);
    expect(asked).toMatchObject([
      { exec: { case: 'readArgs' } },
      { exec: { case: 'writeArgs', value: { path: 'a.ts', fileText: 'b\nc\n' } }, repeatable: false },
    ]);
    expect(output?.value).toBe('Overwrote a.ts.');
    expect(shown).toMatchObject({
      case: 'editToolCall',
      value: {
        result: {
          result: {
            case: 'success',
            value: { linesAdded: 1, linesRemoved: 1, diffString: expect.stringContaining('-a\n+b') },
          },
        },
      },
    });
  });

  it('makes a new file', () => {
    const { output, shown } = callTool(writeTool, { path: 'a.ts', content: 'b' }, [missing, written]);
    expect(output?.value).toBe('Wrote a.ts.');
    expect(shown).toMatchObject({
      value: { result: { result: { value: { linesAdded: 1, linesRemoved: 0 } } } },
    });
  });

  it.each([
    [{ case: 'rejected', value: { reason: 'no' } } as const, 'rejected', 'The user did not allow it. no'],
    [
      { case: 'permissionDenied', value: { error: 'EACCES' } } as const,
      'writePermissionDenied',
      'a may not be written. EACCES',
    ],
    [{ case: 'noSpace', value: {} } as const, 'error', 'There is no space left to write a.'],
    [{ case: 'error', value: { error: 'EISDIR' } } as const, 'error', 'a could not be written: EISDIR'],
  ])('tells a failure: %j', (result, kind, said) => {
    const answer = execAnswer({ case: 'writeResult', value: { result } });
    const { output, shown } = callTool(writeTool, { path: 'a', content: '' }, [missing, answer]);
    expect(output).toEqual({ type: 'error-text', value: said });
    expect(shown).toMatchObject({ value: { result: { result: { case: kind } } } });
  });

  it('does not take an odd answer for success', () => {
    expect(callTool(writeTool, { path: 'a', content: '' }, [missing, UNKNOWN]).output?.type).toBe(
      'error-text',
    );
  });
});

describe('edit_file', () => {
  const edit = (content: string, old_string: string, new_string: string, replace_all?: boolean) =>
    callTool(editTool, { path: 'a', old_string, new_string, replace_all }, [read(content), written]);

  it.each([
    ['one place', edit('a b c', 'b', 'X'), 'a X c', 'Replaced the text in a.'],
    ['all places', edit('b b', 'b', '$&', true), '$& $&', 'Replaced the text in a 2 times.'],
    ['CRLF', edit('a\r\nb\r\n', 'a\nb\n', 'x\ny\n'), 'x\r\ny\r\n', 'Replaced the text in a.'],
  ])('replaces %s', (_, { asked, output }, after, said) => {
    expect(asked[1]).toMatchObject({ exec: { case: 'writeArgs', value: { fileText: after } } });
    expect(output?.value).toBe(said);
  });

  it.each([
    ['absent', edit('a', 'b', 'c'), 'does not occur'],
    ['ambiguous', edit('b b', 'b', 'c'), 'occurs 2 times'],
    ['unchanged', edit('b', 'b', 'b'), 'are the same'],
    ['empty', edit('b', '', 'c'), 'old_string is empty'],
  ])('writes nothing when the text is %s', (_, { asked, output }, said) => {
    expect(asked).toHaveLength(1);
    expect(output?.type).toBe('error-text');
    expect(output?.value).toContain(said);
  });

  it('makes a new file of an empty old text, and only then', () => {
    const input = { path: 'a', old_string: '', new_string: 'x' };
    expect(callTool(editTool, input, [missing, written]).output?.value).toBe('Made a.');
    expect(callTool(editTool, { ...input, old_string: 'y' }, [missing]).output?.type).toBe('error-text');
  });

  it('leaves files alone that it does not have whole', () => {
    const { output } = callTool(editTool, { path: 'a', old_string: 'a', new_string: 'b' }, [
      read('a', { truncated: true }),
    ]);
    expect(output?.value).toContain('too large');
  });
});

describe('delete_file', () => {
  it.each([
    [{ case: 'success', value: { deletedFile: 'a', prevContent: 'secret' } } as const, 'text', 'Deleted a.'],
    [{ case: 'fileNotFound', value: {} } as const, 'error-text', 'There is no file a.'],
    [
      { case: 'notFile', value: { actualType: 'directory' } } as const,
      'error-text',
      'a is not a file but a directory.',
    ],
    [
      { case: 'permissionDenied', value: { clientVisibleError: 'x' } } as const,
      'error-text',
      'a may not be deleted. x',
    ],
    [{ case: 'fileBusy', value: {} } as const, 'error-text', 'a is in use.'],
    [{ case: 'rejected', value: { reason: '' } } as const, 'error-text', 'The user did not allow it.'],
    [{ case: 'error', value: { error: 'EIO' } } as const, 'error-text', 'a could not be deleted: EIO'],
    [{ case: undefined } as const, 'error-text', 'The client gave an answer that is not understood.'],
  ])('%j', (result, type, value) => {
    const { output, shown } = callTool(deleteTool, { path: 'a' }, [
      execAnswer({ case: 'deleteResult', value: { result } }),
    ]);
    expect(output).toEqual({ type, value });
    expect(JSON.stringify(shown, (_, part) => (typeof part === 'bigint' ? `${part}` : part))).not.toContain(
      'secret',
    );
  });
});

describe('list_folder', () => {
  const root = create(agent.LsDirectoryTreeNodeSchema, {
    absPath: '/w',
    childrenDirs: [
      { absPath: '/w/src', childrenFiles: [{ name: 'b.ts' }], childrenWereProcessed: true },
      { absPath: '/w/big', numFiles: 7 },
    ],
    childrenFiles: [{ name: 'a.ts' }],
  });

  it.each([
    [
      { case: 'success', value: { directoryTreeRoot: root } } as const,
      'text',
      '/w/\n  src/\n    b.ts\n  big/ (not listed: 7 files)\n  a.ts',
    ],
    [{ case: 'timeout', value: {} } as const, 'text', 'Listing took too long; this is a part:\n'],
    [{ case: 'error', value: { error: 'ENOENT' } } as const, 'error-text', '/w could not be listed: ENOENT'],
    [{ case: 'rejected', value: { reason: 'no' } } as const, 'error-text', 'The user did not allow it. no'],
  ])('%#', (result, type, value) => {
    const { output, asked } = callTool(lsTool, { path: '/w', ignore: ['dist'] }, [
      execAnswer({ case: 'lsResult', value: { result } }),
    ]);
    expect(asked).toMatchObject([{ exec: { case: 'lsArgs', value: { path: '/w', ignore: ['dist'] } } }]);
    expect(output).toEqual({ type, value });
  });
});
