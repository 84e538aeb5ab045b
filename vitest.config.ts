import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'packages/*/src/**/*.test.ts',
            'services/*/src/**/*.test.ts',
            'scripts/**/*.test.ts',
            'bench/src/**/*.test.ts',
            'load/src/**/*.test.ts',
          ],
        },
      },
      {
        test: {
          name: 'cluster',
          include: ['tests/**/*.test.ts', 'load/k6/**/*.test.ts'],
          globalSetup: ['tests/engines/setup.ts'],
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
