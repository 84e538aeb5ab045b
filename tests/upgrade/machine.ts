import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { answer, control, type Reaction } from './client.ts';

/** Does what clients are asked to do, on a machine that changes nothing but knows the output of one command. */
export function doOnMachine(): (exec: agent.ExecServerMessage) => Reaction[] | undefined {
  let terminal = 0;
  return ({ id, message: { case: kind, value } }) => {
    switch (kind) {
      case 'readArgs': {
        const { path } = value;
        if (path.includes('missing')) {
          return answer(id, {
            case: 'readResult',
            value: { result: { case: 'fileNotFound', value: { path } } },
          });
        }
        const isTerminal = path.startsWith('/terminals/');
        const content = isTerminal ? (TERMINAL[terminal++] ?? '') : `first line\nold of ${path}\nlast line\n`;
        const success = { path, output: { case: 'content', value: content }, totalLines: 3 } as const;
        const result = {
          case: 'success',
          value: { ...success, rangeApplied: value.offset !== undefined },
        } as const;
        return answer(id, { case: 'readResult', value: { result } });
      }
      case 'writeArgs':
        return answer(id, {
          case: 'writeResult',
          value: { result: { case: 'success', value: { path: value.path, linesCreated: 2 } } },
        });
      case 'deleteArgs':
        return answer(id, {
          case: 'deleteResult',
          value: { result: { case: 'success', value: { path: value.path, deletedFile: value.path } } },
        });
      case 'lsArgs':
        return answer(id, {
          case: 'lsResult',
          value: {
            result: {
              case: 'success',
              value: {
                directoryTreeRoot: create(agent.LsDirectoryTreeNodeSchema, {
                  absPath: value.path,
                  childrenFiles: [{ name: 'a.ts' }],
                  childrenDirs: [{ absPath: `${value.path}/big`, numFiles: 7 }],
                }),
              },
            },
          },
        });
      case 'grepArgs':
        return answer(id, {
          case: 'grepResult',
          value: {
            result: {
              case: 'success',
              value: { workspaceResults: { '/work': { result: value.pattern ? LINES : FILES } } },
            },
          },
        });
      case 'shellStreamArgs':
        return shell(id, { code: 0 });
      case 'backgroundShellSpawnArgs':
        return answer(id, {
          case: 'backgroundShellSpawnResult',
          value: { result: { case: 'success', value: { shellId: 7, command: value.command, pid: 9 } } },
        });
      case 'writeShellStdinArgs':
        return answer(id, {
          case: 'writeShellStdinResult',
          value: { result: { case: 'success', value: { shellId: value.shellId } } },
        });
      case 'fetchArgs': {
        const success = { url: value.url, content: '<p>local', statusCode: 200, contentType: 'text/html' };
        return answer(id, { case: 'fetchResult', value: { result: { case: 'success', value: success } } });
      }
      case 'diagnosticsArgs': {
        const fault = { severity: agent.DiagnosticSeverity.ERROR, message: 'x is not defined', source: 'ts' };
        const range = { start: { line: 3, column: 7 }, end: { line: 3, column: 9 } };
        const success = { path: value.path, diagnostics: [{ ...fault, range }], totalDiagnostics: 1 };
        return answer(id, {
          case: 'diagnosticsResult',
          value: { result: { case: 'success', value: success } },
        });
      }
      case 'mcpArgs': {
        const content = [{ content: { case: 'text', value: { text: 'It is done.' } } }] as const;
        return answer(id, {
          case: 'mcpResult',
          value: { result: { case: 'success', value: { content: [...content] } } },
        });
      }
      case 'listMcpResourcesExecArgs': {
        const resources = [{ uri: 'r://1', name: 'One', mimeType: 'text/plain', server: 's' }];
        return answer(id, {
          case: 'listMcpResourcesExecResult',
          value: { result: { case: 'success', value: { resources } } },
        });
      }
      case 'readMcpResourceExecArgs': {
        const success = { uri: value.uri, content: { case: 'text', value: 'The resource.' } } as const;
        return answer(id, {
          case: 'readMcpResourceExecResult',
          value: { result: { case: 'success', value: success } },
        });
      }
      case 'subagentArgs': {
        const success = {
          agentId: 'a1',
          finalMessage: value.runInBackground ? '' : 'Found.',
          toolCallCount: 2,
        };
        const backgroundReason = value.runInBackground
          ? agent.SubagentBackgroundReason.AGENT_REQUEST
          : agent.SubagentBackgroundReason.UNSPECIFIED;
        return answer(
          id,
          {
            case: 'subagentResult',
            value: { result: { case: 'success', value: { ...success, backgroundReason } } },
          },
          80,
        );
      }
      case 'subagentAwaitArgs':
        return answer(
          id,
          {
            case: 'subagentAwaitResult',
            value: { result: { case: 'complete', value: { finalMessage: 'Found.' } } },
          },
          80,
        );
      default:
        return control({ case: 'throw', value: { id, error: `no handler for ${kind}` } });
    }
  };
}

type Found = MessageInitShape<typeof agent.GrepUnionResultSchema>['result'];

const LINES: Found = {
  case: 'content',
  value: {
    matches: [{ file: 'a.ts', matches: [{ lineNumber: 3, content: 'const x = 1' }] }],
    totalMatchedLines: 1,
  },
};
const FILES: Found = { case: 'files', value: { files: ['./a.ts', './b.ts'], totalFiles: 2 } };

const TERMINAL = [
  '---\npid: 7\ncommand: "serve"\nstatus: running\n---\nstarting\nabo',
  'about to listen\n',
  'READY on 8080\n',
  '\n---\nexit_code: 3\nelapsed_ms: 5\nended_at: 2026-01-01T00:00:00Z\n---\n',
];

/** A command's life: it starts, says something twice, and comes to an end. */
export function shell(id: number, end: { code: number; aborted?: boolean } | undefined): Reaction[] {
  const event = (value: NonNullable<Parameters<typeof answer>[1]>, ms: number) => answer(id, value, ms);
  return [
    ...event({ case: 'shellStream', value: { event: { case: 'start', value: {} } } }, 5),
    ...event({ case: 'shellStream', value: { event: { case: 'stdout', value: { data: 'one\n' } } } }, 15),
    ...event({ case: 'shellStream', value: { event: { case: 'stderr', value: { data: 'two\n' } } } }, 25),
    ...(end
      ? event(
          { case: 'shellStream', value: { event: { case: 'exit', value: { ...end, cwd: '/work' } } } },
          35,
        )
      : []),
  ];
}
