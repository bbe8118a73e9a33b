import { expect, test } from 'vitest';
import { builtProgram } from '../support/built-cluster.ts';
import type { TerminalSession } from '../support/terminal.ts';
import { answerYes, dialogIs, repeatUntil } from './actions/dialogs.ts';
import { bodyOf, closeTerminalsAtEnd, open } from './support.ts';

closeTerminalsAtEnd();

const patient = { timeoutMs: 90_000 };

/** The time of the last refresh, in the header. */
const refreshedAt = (terminal: TerminalSession): string | undefined =>
  /▸ (\d\d:\d\d:\d\d)/u.exec(terminal.lines()[0] ?? '')?.[1];

const waitForNextRefresh = async (terminal: TerminalSession): Promise<string> => {
  const before = refreshedAt(terminal);
  await terminal.waitFor((session) => ![undefined, before].includes(refreshedAt(session)), patient);
  return refreshedAt(terminal) ?? '';
};

test.each([
  [80, 24],
  [200, 60],
])('compares a moment before a ban with now, at %d×%d', { timeout: 300_000 }, async (cols, rows) => {
  const args = [builtProgram, 'demo', '--api', 'v5', '--clients', '40', '--interval', '1', '--no-audit'];
  const terminal = open({ command: process.execPath, args, cols, rows });
  await terminal.waitFor('3/3 nodes', patient);
  terminal.press('X');
  await terminal.waitFor('No bans', patient);
  await waitForNextRefresh(terminal);
  const before = await waitForNextRefresh(terminal);
  await waitForNextRefresh(terminal);

  terminal.press('n');
  await terminal.waitFor(dialogIs('New ban'), patient);
  terminal.press('tab');
  await terminal.waitFor('▸ Value', patient);
  terminal.type('intruder-7');
  await terminal.waitFor(/▸ Value +intruder-7/u, patient);
  terminal.press('ctrl-s');
  await terminal.waitFor(dialogIs('Ban this client ID?'), patient);
  await answerYes(terminal);
  await repeatUntil(
    terminal,
    () => {
      if (terminal.text().includes('Enter/Esc Close')) terminal.press('enter');
    },
    (session) =>
      !session.text().includes('Enter/Esc Close') && bodyOf(session).some((line) => /intruder-7 +client/u.test(line)),
    1_000,
  );

  terminal.press('h');
  await terminal.waitFor(/Esc now/u, patient);
  terminal.type(`:${before}`);
  await terminal.waitFor('Look back to', patient);
  terminal.press('enter');
  await terminal.waitFor((session) => session.text().includes('No bans'), patient);
  terminal.press('=');
  await terminal.waitFor(/Bans: 1 came/u, patient);
  const lines = bodyOf(terminal);
  expect(lines[0]).toMatch(/^ Compare {2}\d+ \w{3} \d\d:\d\d:\d\d → now, \d+ s$/u);
  expect(lines.some((line) => /bans +came +client-id intruder-7/u.test(line))).toBe(true);

  // Enter opens the list where it is, with the cursor on it.
  terminal.type('/list:bans');
  terminal.press('enter');
  await terminal.waitFor((session) => !/totals +figure/u.test(session.text()), patient);
  terminal.press('enter');
  await terminal.waitFor((session) => bodyOf(session).some((line) => /▸intruder-7/u.test(line)), patient);
});
