import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createAlerts, notificationCode } from '../../../src/cli/process/alerts.ts';
import { alertTexts } from '../../../src/cli/texts.ts';

const problem = { severity: 'critical', check: 'nodes', title: 'Node b is stopped; "$(touch owned)"\n\u001B[31m', evidence: 'had 3 clients' } as const;

function alertsWith(config: Partial<Parameters<typeof createAlerts>[0]>) {
  const [written, failures]: [string[], string[]] = [[], []];
  const alert = createAlerts({
    hasBell: false, hasNotification: false, command: undefined, context: 'prod', url: 'http://127.0.0.1', env: { PATH: process.env['PATH'], TERM: 'xterm' },
    write: (codes) => { written.push(codes); }, onFailure: (text) => { failures.push(text); }, ...config,
  });
  return { alert, written, failures };
}

test('alerts are off by default, and never sent for warnings', () => {
  const off = alertsWith({});
  off.alert(problem);
  expect(off.written).toEqual([]);
  const on = alertsWith({ hasBell: true, hasNotification: true });
  on.alert({ ...problem, severity: 'warning' });
  expect(on.written).toEqual([]);
  on.alert(problem);
  expect(on.written).toEqual(['\u0007', expect.stringMatching(/^\u001B\]9;prod: Node b is stopped/u)]);
});

test('a notification speaks the code of the terminal, and no text of a broker can leave it', () => {
  const shown = String.raw`a, b\x1b]0,x\x07\u202e`;
  const text = 'a; b\u001B]0;x\u0007\u202E';
  expect(notificationCode(text, { TERM: 'xterm-256color' })).toBe(`\u001B]9;${shown}\u001B\\`);
  expect(notificationCode(text, { TERM: 'xterm-kitty' })).toBe(`\u001B]99;;${shown}\u001B\\`);
  expect(notificationCode(text, { TERM: 'rxvt-unicode' })).toBe(`\u001B]777;notify;brokertop;${shown}\u001B\\`);
  expect(notificationCode('x'.repeat(5_000), {}).length).toBeLessThan(300);
});

test('the command gets the problem in its environment, where no shell reads it', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'brokertop-alerts-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'told');
  const { alert, failures } = alertsWith({ command: `printf '%s|%s|%s|%s|%s' "$BROKERTOP_CONTEXT" "$BROKERTOP_URL" "$BROKERTOP_CHECK" "$BROKERTOP_PROBLEM" "$BROKERTOP_EVIDENCE" > '${file}.new' && mv '${file}.new' '${file}'` });
  alert(problem);
  await expect.poll(() => readFile(file, 'utf8').catch(() => ''), { timeout: 10_000 }).toBe(`prod|http://127.0.0.1|nodes|${problem.title}|had 3 clients`);
  expect(failures).toEqual([]);
});

test('a command that fails is said', async () => {
  const { alert, failures } = alertsWith({ command: 'exit 7' });
  alert(problem);
  await expect.poll(() => failures, { timeout: 10_000 }).toEqual([alertTexts.commandFailed(alertTexts.exitCode(7))]);
});
