import type { MessageInitShape } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { describe, expect, it } from 'vitest';
import { callTool, execAnswer } from '../testing/call-tool.ts';
import { listMcpResourcesTool, readMcpResourceTool } from './mcp-resources.ts';
import { readLintsTool } from './read-lints.ts';

const ODD = 'The client gave an answer that is not understood.';

describe('read_lints', () => {
  const answer = (result: MessageInitShape<typeof agent.DiagnosticsResultSchema>['result']) =>
    execAnswer({ case: 'diagnosticsResult', value: { result } });
  const fault = {
    severity: agent.DiagnosticSeverity.ERROR,
    range: { start: { line: 3, column: 7 }, end: { line: 3, column: 9 } },
    message: 'x is not defined',
    source: 'ts',
    code: '2304',
  };

  it('asks about each file, and tells of all', () => {
    const { asked, output, shown } = callTool(readLintsTool, { paths: ['a.ts', 'b.ts', 'c.ts'] }, [
      answer({ case: 'success', value: { diagnostics: [fault, { message: 'bare' }] } }),
      answer({ case: 'success', value: {} }),
      answer({ case: 'fileNotFound', value: {} }),
    ]);
    expect(asked.map((ask) => ask.type === 'exec' && ask.exec)).toMatchObject(
      ['a.ts', 'b.ts', 'c.ts'].map((path) => ({
        case: 'diagnosticsArgs',
        value: { path, toolCallId: 'c1' },
      })),
    );
    expect(output).toEqual({
      type: 'text',
      value: 'a.ts:3:7 error: x is not defined (ts 2304)\na.ts problem: bare\nc.ts: There is no file c.ts.',
    });
    expect(shown).toMatchObject({
      case: 'readLintsToolCall',
      value: {
        result: {
          result: {
            case: 'success',
            value: {
              totalFiles: 2,
              totalDiagnostics: 2,
              fileDiagnostics: [{ path: 'a.ts', diagnosticsCount: 2 }, {}],
            },
          },
        },
      },
    });
  });

  it.each<[MessageInitShape<typeof agent.DiagnosticsResultSchema>['result'], string, string]>([
    [{ case: 'success', value: {} }, 'text', 'Nothing to report.'],
    [{ case: 'error', value: { error: 'boom' } }, 'error-text', 'a: boom'],
    [{ case: 'rejected', value: { reason: 'no' } }, 'error-text', 'a: The user did not allow it. no'],
    [{ case: 'permissionDenied', value: {} }, 'error-text', 'a: a may not be read.'],
    [{ case: undefined }, 'error-text', `a: ${ODD}`],
  ])('%j', (result, type, value) => {
    expect(callTool(readLintsTool, { paths: ['a'] }, [answer(result)]).output).toEqual({ type, value });
  });
});

describe('list_mcp_resources', () => {
  it.each<[MessageInitShape<typeof agent.ListMcpResourcesExecResultSchema>['result'], string, string]>([
    [
      {
        case: 'success',
        value: {
          resources: [
            { server: 's', uri: 'r://1', name: 'One', mimeType: 'text/plain' },
            { server: 's', uri: 'r://2' },
          ],
        },
      },
      'text',
      's r://1: One; text/plain\ns r://2',
    ],
    [{ case: 'success', value: {} }, 'text', 'There are no resources.'],
    [{ case: 'rejected', value: { reason: 'no' } }, 'error-text', 'The user did not allow it. no'],
    [{ case: 'error', value: { error: 'boom' } }, 'error-text', 'boom'],
    [{ case: undefined }, 'error-text', ODD],
  ])('%j', (result, type, value) => {
    const { asked, output, shown } = callTool(listMcpResourcesTool, { server: 's' }, [
      execAnswer({ case: 'listMcpResourcesExecResult', value: { result } }),
    ]);
    expect(asked).toMatchObject([
      { exec: { case: 'listMcpResourcesExecArgs', value: { server: 's' } }, repeatable: true },
    ]);
    expect(output).toEqual({ type, value });
    expect(shown?.case).toBe('listMcpResourcesToolCall');
  });
});

describe('read_mcp_resource', () => {
  const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47]);

  it.each<[MessageInitShape<typeof agent.ReadMcpResourceExecResultSchema>['result'], unknown]>([
    [
      { case: 'success', value: { content: { case: 'text', value: 'hello' } } },
      { type: 'text', value: 'hello' },
    ],
    [
      { case: 'success', value: {} },
      { type: 'text', value: 'The resource is empty.' },
    ],
    [
      { case: 'success', value: { content: { case: 'blob', value: PNG } } },
      { type: 'content', value: [{ type: 'media', data: 'iVBORw==', mediaType: 'image/png' }] },
    ],
    [
      { case: 'success', value: { mimeType: 'x/y', content: { case: 'blob', value: new Uint8Array(3) } } },
      { type: 'text', value: '[Data of type x/y, 3 bytes, is not shown.]' },
    ],
    [
      { case: 'notFound', value: {} },
      { type: 'error-text', value: 'There is no resource r://1.' },
    ],
    [
      { case: 'rejected', value: { reason: '' } },
      { type: 'error-text', value: 'The user did not allow it.' },
    ],
    [
      { case: 'error', value: { error: 'boom' } },
      { type: 'error-text', value: 'boom' },
    ],
    [{ case: undefined }, { type: 'error-text', value: ODD }],
  ])('%#', (result, expected) => {
    const { asked, output, shown } = callTool(readMcpResourceTool, { server: 's', uri: 'r://1' }, [
      execAnswer({ case: 'readMcpResourceExecResult', value: { result } }),
    ]);
    expect(asked).toMatchObject([
      { exec: { case: 'readMcpResourceExecArgs', value: { server: 's', uri: 'r://1', toolCallId: 'c1' } } },
    ]);
    expect(output).toEqual(expected);
    expect(shown?.case).toBe('readMcpResourceToolCall');
  });
});
