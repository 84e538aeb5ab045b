// Prints `N passed, N failed` from Vitest's report of the last run. Given that run's exit code, it never says "0 failed"
// of a run that failed.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tools } from './toolchain.mjs';

export const reportPath = join(tools, 'test-report.json');

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly unknown[] }[];
}

/** The summary of a report (undefined: none was written) of a run that ended with `exitCode`. */
export function summaryOf(report: Report | undefined, exitCode: number): string {
  const passed = report?.numPassedTests ?? 0;
  const unloadable = report?.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  );
  const failed = (report?.numFailedTests ?? 0) + (unloadable?.length ?? 0);
  return `${passed} passed, ${failed === 0 && exitCode !== 0 ? 1 : failed} failed`;
}

if (import.meta.main) {
  const report = existsSync(reportPath) ? JSON.parse(readFileSync(reportPath, 'utf8')) : undefined;
  console.log(summaryOf(report, Number(process.argv[2] ?? 0)));
}
