import { agent } from '@tandem/proto';
import { z } from 'zod';
import { execResult, NOT_UNDERSTOOD, notAllowed } from './answers.ts';
import { cutEnd, cutLine } from './cut-text.ts';
import { type Answer, defineTool, errorText, QUICK, type ShownTool, text } from './tool.ts';

const MAX_PATHS = 50;

const schema = z.strictObject({
  paths: z
    .array(z.string().min(1))
    .min(1)
    .max(MAX_PATHS)
    .describe('The files to look at: absolute, or relative to the workspace folder.'),
});
type Args = z.infer<typeof schema>;

const SEVERITIES = ['problem', 'error', 'warning', 'information', 'hint'] as const;

/** Clients are asked for one file at a time. */
export const readLintsTool = defineTool<Args>({
  name: 'read_lints',
  kind: 'readLintsToolCall',
  access: 'read',
  description:
    "Tells what the user's editor has to say about files: faults of compilers and linters. Ask about files that you have changed.",
  schema,
  show: (args) => ({ case: 'readLintsToolCall', value: { args } }),
  refuse,
  next(args, answers, { callId }) {
    const path = args.paths[answers.length];
    if (path !== undefined) {
      const exec = { case: 'diagnosticsArgs', value: { path, toolCallId: callId } } as const;
      return { ask: { type: 'exec', exec, deadline: QUICK, repeatable: true } };
    }
    const files = args.paths.map((name, index) => ({
      path: name,
      found: diagnosticsOf(name, answers[index]),
    }));
    const lines = files.flatMap(({ path: name, found }) =>
      typeof found === 'string' ? [`${name}: ${found}`] : found.map((one) => line(name, one)),
    );
    if (files.every(({ found }) => typeof found === 'string')) {
      const reason = lines.join('\n');
      return { done: { shown: refuse(args, reason), output: errorText(reason) } };
    }
    const fileDiagnostics = files.flatMap(({ path: name, found }) =>
      typeof found === 'string'
        ? []
        : [{ path: name, diagnostics: found.map(item), diagnosticsCount: found.length }],
    );
    const totalDiagnostics = fileDiagnostics.reduce((sum, { diagnosticsCount }) => sum + diagnosticsCount, 0);
    const value = { fileDiagnostics, totalFiles: fileDiagnostics.length, totalDiagnostics };
    const shown: ShownTool = {
      case: 'readLintsToolCall',
      value: { args, result: { result: { case: 'success', value } } },
    };
    return { done: { shown, output: text(cutEnd(lines.join('\n')) || 'Nothing to report.') } };
  },
});

function diagnosticsOf(path: string, answer: Answer | undefined): readonly agent.Diagnostic[] | string {
  const result = execResult(answer, 'diagnosticsResult')?.result;
  switch (result?.case) {
    case 'success':
      return result.value.diagnostics;
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

function refuse(args: Args, errorMessage: string): ShownTool {
  return {
    case: 'readLintsToolCall',
    value: { args, result: { result: { case: 'error', value: { errorMessage } } } },
  };
}
