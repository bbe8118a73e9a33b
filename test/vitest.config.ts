import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

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
  'test/resources/settings/emq-settings.test.ts',
  'test/api/**',
  'test/broker/**',
  'test/cli/**',
  'test/contract/**',
  'test/fuzz/**',
  'test/hostile/**',
  'test/support/**',
  'test/tools/**',
  'test/timeline/scenarios.test.ts',
  'test/triage/scenarios.test.ts',
  'test/replay/same-screens.test.tsx',
  'test/screens/coverage.test.tsx',
];

/** Files that take longest, the longest first. Started last, they would leave the other workers without work. */
const longest = [
  'test/e2e/profiles',
  'test/days/days',
  'test/e2e/demo-scenarios',
  'test/triage/scenarios',
  'test/timeline/scenarios',
  'test/package/executable',
  'test/e2e/config',
  'test/broker/memory',
  'test/e2e/variants',
  'test/e2e/actions/acting-trouble',
  'test/e2e/recording',
  'test/e2e/newer-screens',
  'test/e2e/actions/administration',
  'test/e2e/failover',
  'test/e2e/endings/endings-audit',
  'test/cli/commands/broker-data',
  'test/cli/commands/fleet',
  'test/broker/data/journal',
  'test/package/package',
  'test/replay/same-screens',
  'test/hostile/screens',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const rank = longest.findIndex((name) => moduleId.includes(`/${name}.test.`));
      return rank === -1 ? longest.length : rank;
    };
    // oxlint-disable-next-line unicorn/no-array-sort -- of the sequencer, not of an array
    const inProject = Map.groupBy(await super.sort(files), ({ project }) => project.name);
    return [...inProject.values()].flatMap((specs) => specs.toSorted((a, b) => rankOf(a) - rankOf(b)));
  }
}

const filesIn = (globs: readonly string[]): string[] =>
  globs.map((glob) => glob.replace(/\*\*$/u, '**/*.test.{ts,tsx}'));

// Vitest leaves one core to itself, which on two cores means one file at a time.
const maxWorkers = Math.max(2, availableParallelism() - 1);
/** Some wait for timers and sockets. Runs after the end-to-end tests: projects with different numbers of workers cannot run together. */
const inProcess = { maxWorkers: maxWorkers + 1, sequence: { groupOrder: 1 } };

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    pool: 'forks',
    // Generous: the machine may be slow, and a test that passes does not wait.
    testTimeout: 90_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    sequence: { sequencer: LongestFirst },
    setupFiles: ['test/support/setup.ts'],
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
      // These wait for programs, terminals and traffic half of their time.
      { extends: true, test: { name: 'e2e', include: filesIn(endToEnd), maxWorkers: maxWorkers * 2 } },
    ],
  },
});
