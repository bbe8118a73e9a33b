import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { definitionOf } from '../../src/screens/registry.ts';
import { type BuiltCluster, startBuiltCluster } from '../support/built-cluster.ts';
import type { TerminalSession } from '../support/terminal.ts';
import { cancelButton, hint } from '../support/texts.ts';
import { dialogIs, showQuestion } from './actions/dialogs.ts';
import {
  activeTab,
  closeTerminalsAtEnd,
  connectQuietClients,
  headerRows,
  hintsOf,
  numberedIds,
  openReadyMonitor,
  type QuietClients,
  rowsOf,
  showClients,
  waitForCursor,
  waitForFrame,
} from './support.ts';

closeTerminalsAtEnd();

let cluster: BuiltCluster;
let quiet: QuietClients;

beforeAll(async () => {
  cluster = await startBuiltCluster({ nodes: 1 });
  quiet = await connectQuietClients(cluster.mqttPorts, numberedIds('pump', 9));
}, 180_000);

afterAll(async () => {
  await quiet?.end();
  await cluster?.stop();
});

const interval = ['--interval', '0.5'];

/** The colour of the program's name in the header. */
const titleColor = (terminal: TerminalSession): unknown => terminal.cell(1, 0).foreground;

const questions = (terminal: TerminalSession): number =>
  terminal.effects().commands.filter(({ id, data }) => id === 11 && data === '?').length;

const lightReply = '\u001B]11;rgb:fdfd/f6f6/e3e3\u001B\\';
const [darkTitle, lightTitle] = [75, 26];

test.concurrent.each([[], ['--plain-render']])(
  'the theme follows the background that the terminal reports %j',
  async (...flags) => {
    const terminal = await openReadyMonitor(cluster.monitor, { args: [...interval, ...flags], cols: 120 });
    expect([questions(terminal), titleColor(terminal)]).toEqual([1, darkTitle]);
    terminal.type(lightReply);
    await terminal.waitFor((session) => titleColor(session) === lightTitle);
    terminal.press('2');
    await waitForFrame(terminal, (session) => activeTab(session) === '2 Nodes');
    expect([questions(terminal), titleColor(terminal)]).toEqual([1, lightTitle]);
  },
);

test.concurrent('a chosen theme is kept, and the terminal is not asked', async () => {
  const terminal = await openReadyMonitor(cluster.monitor, { args: [...interval, '--theme', 'dark'], cols: 120 });
  terminal.type(lightReply);
  terminal.press('2');
  await waitForFrame(terminal, (session) => activeTab(session) === '2 Nodes');
  expect([questions(terminal), titleColor(terminal)]).toEqual([0, darkTitle]);
});

test.concurrent('the palette changes the theme, and auto follows the background again', async () => {
  const terminal = await openReadyMonitor(cluster.monitor, { args: interval, cols: 120 });
  const choose = async (name: string): Promise<void> => {
    terminal.type(':');
    await terminal.waitFor('Run');
    terminal.type(`theme ${name}`);
    await terminal.waitFor(`▸ Theme: ${name}`);
    terminal.press('enter');
    await terminal.waitFor((session) => !session.text().includes('Run'));
  };
  await choose('light');
  await terminal.waitFor((session) => titleColor(session) === lightTitle);
  await choose('dark');
  await terminal.waitFor((session) => titleColor(session) === darkTitle);
  terminal.type(lightReply);
  await choose('mono');
  await terminal.waitFor((session) => titleColor(session) === 'default');
  await choose('auto');
  await terminal.waitFor((session) => titleColor(session) === lightTitle);
});

const report = (code: number, column: number, row: number, end: 'M' | 'm' = 'M'): string =>
  `\u001B[<${code};${column + 1};${row + 1}${end}`;

/** Clicks the middle of a text in a row of the screen. */
const click = (terminal: TerminalSession, row: number, text: string): void => {
  const at = rowsOf(terminal)[row]?.indexOf(text) ?? -1;
  if (at === -1) throw new Error(`Row ${row} has no ${JSON.stringify(text)}.`);
  const column = at + Math.floor(text.length / 2);
  terminal.type(report(0, column, row) + report(0, column, row, 'm'));
};

const clickRow = (terminal: TerminalSession, text: string): void => {
  click(
    terminal,
    rowsOf(terminal).findIndex((line, row) => row >= headerRows && line.includes(text)),
    text,
  );
};

const clickTab = (terminal: TerminalSession, text: string): void => {
  click(terminal, headerRows - 1, text);
};
const clickHint = (terminal: TerminalSession, text: string): void => {
  click(terminal, terminal.screen.rows - 1, text);
};

const wheelDown = report(65, 5, 10);
const wheelUp = report(64, 5, 10);

test.concurrent.each([[], ['--plain-render']])(
  'the mouse goes to screens, moves in lists and opens rows %j',
  async (...flags) => {
    const terminal = await openReadyMonitor(cluster.monitor, { args: [...interval, ...flags], cols: 120 });
    expect(terminal.modes().mouse).toBe('vt200');
    clickTab(terminal, '4 Clients');
    await waitForFrame(terminal, (session) => session.text().includes('showing 9 of 9'));
    await waitForCursor(terminal, 'pump-01');
    terminal.type(wheelDown);
    await waitForCursor(terminal, 'pump-04');
    terminal.type(wheelDown + wheelDown + wheelUp);
    await waitForCursor(terminal, 'pump-06');
    clickRow(terminal, 'pump-02');
    await waitForCursor(terminal, 'pump-02');
    clickRow(terminal, 'pump-05');
    clickRow(terminal, 'pump-05');
    await waitForFrame(
      terminal,
      (session) => /^ Client pump-05 /mu.test(session.text()) && hintsOf(session).includes(hint('close')),
    );
    clickHint(terminal, hint('close'));
    await waitForFrame(terminal, (session) => session.text().includes('showing 9 of 9'));
    clickTab(terminal, '0 More');
    await waitForFrame(terminal, (session) => session.text().includes(definitionOf('log').note ?? ''));
    clickRow(terminal, 'Timeline ');
    clickRow(terminal, 'Timeline ');
    await waitForFrame(terminal, (session) => /^ Timeline/mu.test(session.text()));
  },
);

test.concurrent('a click outside a question does nothing, one on a button answers it', async () => {
  const terminal = await openReadyMonitor(cluster.monitor, { cols: 120 });
  await showClients(terminal, 9);
  await waitForCursor(terminal, 'pump-01');
  clickHint(terminal, hint('disconnect'));
  await showQuestion(terminal, 'Disconnect this client?');
  // A double click is no answer.
  clickRow(terminal, 'y Disconnect');
  // Longer than a question ignores clicks.
  await pass(800);
  clickTab(terminal, '2 Nodes');
  clickRow(terminal, 'pump-03');
  // Long enough for an outcome.
  await pass(500);
  expect(dialogIs('Disconnect this client?')(terminal)).toBe(true);
  clickRow(terminal, cancelButton);
  await terminal.waitFor((session) => !dialogIs('Disconnect this client?')(session));
  await waitForCursor(terminal, 'pump-01');
  expect(quiet.connected()).toHaveLength(9);
  terminal.press('a');
  const entry = 'Clear ACL cache';
  await terminal.waitFor(entry);
  clickRow(terminal, entry);
  await terminal.waitFor(dialogIs('Clear the ACL cache of pump-01'));
  clickRow(terminal, 'Esc Cancel');
  await terminal.waitFor((session) => !session.text().includes('Esc Cancel'));
});

test.concurrent('with --no-mouse the terminal keeps the mouse', async () => {
  const terminal = await openReadyMonitor(cluster.monitor, { args: [...interval, '--no-mouse'], cols: 120 });
  expect(terminal.modes().mouse).toBe('none');
  clickTab(terminal, '4 Clients');
  terminal.press('2');
  await waitForFrame(terminal, (session) => activeTab(session) === '2 Nodes');
  terminal.press('[');
  await waitForFrame(terminal, (session) => activeTab(session) === '1 Overview');
});

test.concurrent('Ctrl-S saves a list as a file of its owner, also in read-only mode', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'export-'));
  const file = path.join(folder, 'pumps.csv');
  const terminal = await openReadyMonitor(cluster.monitor, { args: [...interval, '--read-only'], cols: 120 });
  await showClients(terminal, 9);
  terminal.type('\u0013');
  await terminal.waitFor('raw values, with times in UTC (← → or Space)');
  terminal.type('\t\t\u0015');
  await terminal.waitFor((session) =>
    session.lines().some((line) => line.includes('File') && !line.includes('clients-')),
  );
  terminal.type(file);
  await terminal.waitFor(`${file} in the`);
  terminal.type('\u0013');
  await terminal.waitFor((session) => session.text().includes(` Saved `));
  const [header = '', ...lines] = readFileSync(file, 'utf8').trimEnd().split('\r\n');
  expect([header.split(',')[0], lines.map((line) => line.split(',')[0]), statSync(file).mode & 0o777]).toEqual([
    'id',
    numberedIds('pump', 9),
    0o600,
  ]);
  rmSync(folder, { recursive: true });
});
