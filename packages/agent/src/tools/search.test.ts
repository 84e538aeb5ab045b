import type { MessageInitShape } from '@bufbuild/protobuf';
import type { agent } from '@tandem/proto';
import { describe, expect, it } from 'vitest';
import { callTool, execAnswer } from '../testing/call-tool.ts';
import { globTool } from './glob.ts';
import { grepTool } from './grep.ts';

type Union = MessageInitShape<typeof agent.GrepUnionResultSchema>['result'];

const found = (result: Union) =>
  execAnswer({
    case: 'grepResult',
    value: { result: { case: 'success', value: { workspaceResults: { '/w': { result } } } } },
  });
const failed = execAnswer({
  case: 'grepResult',
  value: { result: { case: 'error', value: { error: 'regex parse error' } } },
});

describe('find_files', () => {
  it('searches names at any depth through the client', () => {
    const files = ['./a.ts', './sub/b.ts'];
    const { asked, output, shown } = callTool(globTool, { pattern: '*.ts' }, [
      found({ case: 'files', value: { files, totalFiles: 2 } }),
    ]);
    expect(asked).toMatchObject([
      {
        exec: { case: 'grepArgs', value: { pattern: '', glob: '**/*.ts', outputMode: 'files_with_matches' } },
        repeatable: true,
      },
    ]);
    expect(output?.value).toBe('a.ts\nsub/b.ts');
    expect(shown).toMatchObject({
      case: 'globToolCall',
      value: { result: { result: { value: { totalFiles: 2 } } } },
    });
  });

  it('cuts long lists, and says by how much', () => {
    const files = Array.from({ length: 700 }, (_, index) => `f${index}`);
    const { output } = callTool(globTool, { pattern: 'f*' }, [
      found({ case: 'files', value: { files, totalFiles: 900 } }),
    ]);
    expect(output?.value).toMatch(/f499\n\[400 more files are not shown\.\]$/);
  });

  it('tells when nothing matches, and failures', () => {
    expect(callTool(globTool, { pattern: 'x' }, [found({ case: 'files', value: {} })]).output?.value).toBe(
      'No file matches.',
    );
    expect(callTool(globTool, { pattern: 'x' }, [failed]).output).toEqual({
      type: 'error-text',
      value: 'regex parse error',
    });
  });
});

describe('search_files', () => {
  it('shows lines with their numbers, matches and surroundings apart', () => {
    const { asked, output } = callTool(grepTool, { pattern: 'x', context: 1, case_insensitive: true }, [
      found({
        case: 'content',
        value: {
          matches: [
            {
              file: './a.ts',
              matches: [
                { lineNumber: 1, content: 'before', isContextLine: true },
                { lineNumber: 2, content: 'x\n' },
              ],
            },
          ],
          totalLines: 2,
        },
      }),
    ]);
    expect(asked).toMatchObject([
      {
        exec: {
          case: 'grepArgs',
          value: { pattern: 'x', context: 1, caseInsensitive: true, outputMode: 'content' },
        },
      },
    ]);
    expect(output?.value).toBe('a.ts\n     1-before\n     2|x');
  });

  it('applies the limit that clients do not apply, over all files', () => {
    const matches = ['a', 'b', 'c'].map((file) => ({
      file,
      matches: [1, 2].map((lineNumber) => ({ lineNumber, content: file })),
    }));
    const { output, shown } = callTool(grepTool, { pattern: 'x', head_limit: 3 }, [
      found({ case: 'content', value: { matches, totalLines: 10 } }),
    ]);
    expect(output?.value).toBe('a\n     1|a\n     2|a\nb\n     1|b\n[7 more are not shown.]');
    const result = shown?.case === 'grepToolCall' ? shown.value.result?.result : undefined;
    const union = result?.case === 'success' ? result.value.workspaceResults['/w']?.result : undefined;
    expect(union).toMatchObject({ case: 'content', value: { headLimitApplied: 3 } });
  });

  it.each<[string, Union, string]>([
    ['files_with_matches', { case: 'files', value: { files: ['./a'], totalFiles: 1 } }, 'a'],
    ['count', { case: 'count', value: { counts: [{ file: './a', count: 4 }] } }, 'a: 4'],
    ['content', { case: 'content', value: {} }, 'Nothing matches.'],
  ])('%s', (output_mode, result, said) => {
    expect(callTool(grepTool, { pattern: 'x', output_mode }, [found(result)]).output?.value).toBe(said);
  });

  it('tells what is wrong with a pattern', () => {
    expect(callTool(grepTool, { pattern: '(' }, [failed]).output).toEqual({
      type: 'error-text',
      value: 'regex parse error',
    });
  });
});
