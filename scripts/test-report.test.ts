import { expect, test } from 'vitest';
import { summaryOf } from './test-report.ts';

const loaded = { status: 'passed', assertionResults: [{}] };

test('counts tests, and files that could not be loaded', () => {
  const unloadable = { status: 'failed', assertionResults: [] };
  const report = { numPassedTests: 7, numFailedTests: 2, testResults: [loaded, unloadable] };
  expect(summaryOf(report, 1)).toBe('7 passed, 3 failed');
});

test('a run that failed has a failure, whatever its report says', () => {
  expect(summaryOf({ numPassedTests: 7, numFailedTests: 0, testResults: [loaded] }, 0)).toBe(
    '7 passed, 0 failed',
  );
  expect(summaryOf({ numPassedTests: 7, numFailedTests: 0, testResults: [loaded] }, 1)).toBe(
    '7 passed, 1 failed',
  );
  expect(summaryOf(undefined, 1)).toBe('0 passed, 1 failed');
});
