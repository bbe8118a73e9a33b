import { expect, test } from 'vitest';
import type { Scenario } from '../../src/broker/fleet/fleet.ts';
import { triageTexts } from '../../src/ui/check-texts.ts';
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
    'hot-topic',
    60,
    new RegExp(`^│ ▌ (?:${critical}|${warning} ) High fan-out, probably on market/prices .* 30 subscribers `, 'mu'),
  ],
  ['mixed', 120, new RegExp(`^│ [▌ ] (?:${critical}|${warning} ) worker-\\d+ (?:is slow|is losing)\\b`, 'mu')],
  // The check that compares with the last minute takes a minute.
  [
    'calm',
    12,
    new RegExp(`^│   ${triageTexts.ok} +(?:${triageTexts.noneSoFar(12, 13)}: |${triageTexts.allOk(13)})`, 'mu'),
  ],
];

const severities = new RegExp(` (?:${critical}|${warning}) `, 'u');
const screenOf = (terminal: TerminalSession): string => bodyOf(terminal).join('\n');

const showsIncident = async (
  api: 'v2' | 'v5',
  [scenario, clients, story]: (typeof scenarios)[number],
): Promise<void> => {
  const args = [
    builtProgram,
    'demo',
    '--api',
    api,
    '--scenario',
    scenario,
    '--clients',
    String(clients),
    '--interval',
    '1',
  ];
  const terminal = open({ command: process.execPath, args, cols: 160, rows: 40 });
  try {
    await terminal.waitFor((session) => story.test(screenOf(session)), { timeoutMs: 120_000 });
    expect(severities.test(screenOf(terminal))).toBe(scenario !== 'calm');
    expect(screenOf(terminal).includes(` ${triageTexts.next} `)).toBe(scenario !== 'calm');
  } finally {
    // The others need the processor.
    await terminal.close();
  }
};

test.concurrent.each(scenarios)(
  '%s: the first screen names the incident, without a key',
  { timeout: 150_000 },
  async (...scenario) => {
    await showsIncident('v2', scenario);
  },
);

// One after the other: twelve clusters at once are too much for two cores.
test.each(scenarios.filter(([name]) => name !== 'calm'))(
  '%s over API v5: the first screen names the incident, without a key',
  { timeout: 150_000 },
  async (...scenario) => {
    await showsIncident('v5', scenario);
  },
);

test('slow-consumer: the header counts it while another screen is open', { timeout: 150_000 }, async () => {
  const terminal = open({
    command: process.execPath,
    args: [builtProgram, 'demo', '--scenario', 'slow-consumer', '--clients', '40', '--interval', '1'],
    cols: 160,
    rows: 40,
  });
  await terminal.waitFor('3/3 nodes');
  terminal.press('9');
  await terminal.waitFor((session) => /\d (?:critical|warning)/u.test(session.lines()[0] ?? ''), {
    timeoutMs: 120_000,
  });
  expect(activeTab(terminal)).toBe('9 Metrics');
});
