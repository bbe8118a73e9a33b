import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Tests that start programs or terminals. Each file has a worker of its own. */
const endToEnd = [
  'test/e2e/**',
  'test/cli/commands/**',
  'test/days/**',
  'test/package/**',
  'test/support/terminal.test.ts',
  'test/broker/memory.test.ts',
  // They replace a module of Node, which only works before anything else has imported it.
  'test/broker/data/lock.test.ts',
  'test/broker/data/durable.test.ts',
  'test/broker/data/journal.test.ts',
  'test/broker/plugins/auth-stored-time.test.ts',
];

/** Tests that use sockets inside the test process, or try very many inputs. */
const integration = [
  'test/actions/emq-settings.test.ts',
  'test/api/**',
  'test/broker/**',
  'test/cli/**',
  'test/contract/**',
  'test/fuzz/**',
  'test/hostile/**',
  'test/support/**',
  'test/tools/**',
  'test/triage/scenarios.test.ts',
  'test/ui/coverage.test.tsx',
];

const filesIn = (globs: readonly string[]): string[] =>
  globs.map((glob) => glob.replace(/\*\*$/u, '**/*.test.{ts,tsx}'));

// Vitest leaves one core to itself, which on two cores means one file at a time.
const maxWorkers = Math.max(2, availableParallelism() - 1);
/** Runs after the end-to-end tests: projects with different numbers of workers cannot run together. */
const inProcess = { maxWorkers, sequence: { groupOrder: 1 } };

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    pool: 'forks',
    // Generous: the machine may be slow, and a test that passes does not wait.
    testTimeout: 90_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    // Without isolation the files of a worker share modules: importing them again for every file takes a third of the time.
    projects: [
      {
        extends: true,
        test: {
          ...inProcess,
          name: 'unit',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: filesIn([...integration, ...endToEnd]),
          isolate: false,
          setupFiles: ['test/support/unit-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          ...inProcess,
          name: 'integration',
          include: filesIn(integration),
          exclude: filesIn(endToEnd),
          isolate: false,
        },
      },
      // These mostly wait for programs and terminals.
      { extends: true, test: { name: 'e2e', include: filesIn(endToEnd), maxWorkers: maxWorkers + 1 } },
    ],
  },
});
