import { agent } from '@tandem/proto';
import { z } from 'zod';
import { cutEnd, cutLine } from './cut-text.ts';
import { type ExecResult, exec, LOOK, NOT_UNDERSTOOD, notAllowed } from './steps.ts';
import { defineTool, text } from './tool.ts';

const MAX_PATHS = 50;
const SEVERITIES = ['problem', 'error', 'warning', 'information', 'hint'] as const;

export const readLintsTool = defineTool({
  name: 'read_lints',
  kind: 'readLintsToolCall',
  access: 'read',
  description:
    "Tells what the user's editor has to say about files: faults of compilers and linters. Ask about files that you have changed.",
  schema: z.strictObject({
    paths: z
      .array(z.string().min(1))
      .min(1)
      .max(MAX_PATHS)
      .describe('The files to look at: absolute, or relative to the workspace folder.'),
  }),
  offered: ({ lints }) => lints,
  shownArgs: (args) => args,
  shownFailure: (errorMessage) => ({ result: { case: 'error', value: { errorMessage } } }),
  *run({ paths }, { callId }) {
    const lines: string[] = [];
    const fileDiagnostics: { path: string; diagnostics: Item[]; diagnosticsCount: number }[] = [];
    // Clients are asked for one file at a time.
    for (const path of paths) {
      const found = yield* exec('diagnosticsArgs', { path, toolCallId: callId }, LOOK);
      if (found.case !== 'success') {
        lines.push(`${path}: ${failure(path, found)}`);
        continue;
      }
      const { diagnostics } = found.value;
      lines.push(...diagnostics.map((one) => line(path, one)));
      fileDiagnostics.push({
        path,
        diagnostics: diagnostics.map(item),
        diagnosticsCount: diagnostics.length,
      });
    }
    if (fileDiagnostics.length === 0) return { failure: lines.join('\n') };
    const totalDiagnostics = fileDiagnostics.reduce((sum, { diagnosticsCount }) => sum + diagnosticsCount, 0);
    const value = { fileDiagnostics, totalFiles: fileDiagnostics.length, totalDiagnostics };
    return {
      result: { result: { case: 'success', value } },
      output: text(cutEnd(lines.join('\n')) || 'Nothing to report.'),
    };
  },
});

function failure(path: string, result: ExecResult<'diagnosticsArgs'>): string {
  switch (result.case) {
    case 'fileNotFound':
      return `There is no file ${path}.`;
    case 'permissionDenied':
      return `${path} may not be read.`;
    case 'rejected':
      return notAllowed(result.value.reason);
    case 'error':
      return result.value.error;
    default:
      return NOT_UNDERSTOOD;
  }
}

function line(path: string, { range, severity, message, source, code }: agent.Diagnostic): string {
  const place = range?.start ? `:${range.start.line}:${range.start.column}` : '';
  const from = [source, code].filter(Boolean).join(' ');
  return cutLine(
    `${path}${place} ${SEVERITIES[severity] ?? 'problem'}: ${message}${from ? ` (${from})` : ''}`,
  );
}

type Item = ReturnType<typeof item>;
function item({ severity, range, message, source, code, isStale }: agent.Diagnostic) {
  return {
    severity: severity || agent.DiagnosticSeverity.UNSPECIFIED,
    range: range && { start: range.start, end: range.end },
    message,
    source,
    code,
    isStale,
  };
}
