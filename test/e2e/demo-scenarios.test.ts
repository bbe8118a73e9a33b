import { expect, test } from 'vitest';
import type { Scenario } from '../../src/broker/fleet/fleet.ts';
import { triageTexts } from '../../src/resources/problems/view/texts.ts';
import { builtProgram } from '../support/built-cluster.ts';
import type { TerminalSession } from '../support/terminal.ts';
import { activeTab, bodyOf, closeTerminalsAtEnd, open } from './support.ts';

closeTerminalsAtEnd();

const { critical, warning } = triageTexts.severityWords;

/** Scenarios, how many clients each takes, and what the first screen says. */
const scenarios: readonly (readonly [Scenario, number, RegExp])[] = [
  [
    'reconnect-storm',
    40,
    new RegExp(`^│ ▌ ${critical} Reconnect storm, .* connects/s .* clients? reconnected .*· [a-z]+-\\d+`, 'mu'),
  ],
  [
    'slow-consumer',
    40,
    new RegExp(`^│ ▌ (?:${critical}|${warning} ) worker-\\d+ (?:is slow|is losing)\\b.* queue (?:\\d+|full)`, 'mu'),
  ],
  ['node-down', 12, new RegExp(`^│ ▌ ${critical} Node broker3 is stopped +had \\d+ clients? `, 'mu')],
  [
    'split-brain',
    12,
    new RegExp(`^│ ▌ ${critical} Cluster is split: http://127\\.0\\.0\\.1:\\d+ sees only broker3 `, 'mu'),
  ],
  [
    'shared-id',
    12,
    new RegExp(
      `^│ ▌ ${warning}  Two devices fight for client ID [a-z]+-\\d+ +at 127\\.0\\.0\\.2, 127\\.0\\.0\\.3`,
      'mu',
    ),
  ],
  [
    'hot-topic',
    60,
    new RegExp(`^│ ▌ (?:${critical}|${warning} ) High fan-out, probably on market/prices .* 30 subscribers `, 'mu'),
  ],
  ['mixed', 120, new RegExp(`^│ [▌ ] (?:${critical}|${warning} ) worker-\\d+ (?:is slow|is losing)\\b`, 'mu')],
  // The check that compares with the last minute takes a minute.
  ['calm', 12, /^│   ok +(?:no problems in \d+ of \d+ checks: |no problems: all \d+ checks passed)/mu],
];

const severities = new RegExp(` (?:${critical}|${warning}) `, 'u');
const screenOf = (terminal: TerminalSession): string => bodyOf(terminal).join('\n');

const openDemo = (...args: readonly string[]): TerminalSession =>
  open({
    command: process.execPath,
    args: [builtProgram, 'demo', '--interval', '1', ...args],
    cols: 160,
    rows: 40,
  });

/** How long a story takes, on a machine with much else to do. */
const options = { timeout: 150_000 };
const waitOptions = { timeoutMs: 120_000 };

// What the APIs report is judged alike (test/triage/scenarios): some stories show that the demo has the other one.
const demos = scenarios
  .filter(([name]) => name !== 'slow-consumer')
  .map((scenario) => [scenario[0] === 'hot-topic' ? 'v5' : 'v2', ...scenario] as const);

test.concurrent.each(demos)(
  'over API %s, %s: the first screen names the incident, without a key',
  options,
  async (api, scenario, clients, story) => {
    const terminal = openDemo('--api', api, '--scenario', scenario, '--clients', String(clients));
    try {
      await terminal.waitFor((session) => story.test(screenOf(session)), waitOptions);
      expect(severities.test(screenOf(terminal))).toBe(scenario !== 'calm');
      expect(screenOf(terminal).includes(' Next ')).toBe(scenario !== 'calm');
    } finally {
      // The others need the processor.
      await terminal.close();
    }
  },
);

test.concurrent('over API v5, slow-consumer: the header counts it while another screen is open', options, async () => {
  const terminal = openDemo('--api', 'v5', '--scenario', 'slow-consumer', '--clients', '40');
  await terminal.waitFor('3/3 nodes');
  terminal.press('9');
  await terminal.waitFor((session) => /\d (?:critical|warning)/u.test(session.lines()[0] ?? ''), waitOptions);
  expect(activeTab(terminal)).toBe('9 Metrics');
  terminal.press('1');
  const [, , story] = scenarios.find(([name]) => name === 'slow-consumer') ?? [];
  await terminal.waitFor((session) => story?.test(screenOf(session)) === true, waitOptions);
});
