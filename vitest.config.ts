import { configDefaults, defineConfig } from 'vitest/config';

/** Tests that cross packages and need no engines. */
const WITHOUT_ENGINES = [
  'tests/simulator/**/*.test.ts',
  'tests/upgrade/**/*.test.ts',
  'tests/schedules/in-memory.test.ts',
  'tests/support/{command,provider}/*.test.ts',
];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'packages/*/{src,scripts}/**/*.test.ts',
            'services/*/src/**/*.test.ts',
            'scripts/**/*.test.ts',
            'bench/src/**/*.test.ts',
            'load/**/*.test.ts',
            ...WITHOUT_ENGINES,
          ],
        },
      },
      {
        test: {
          name: 'cluster',
          include: ['tests/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...WITHOUT_ENGINES],
          globalSetup: ['tests/support/engines/setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // Its tests measure time and kill processes: one file at a time, and after the unit tests.
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
