import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createAlerts, notificationCode } from '../../../src/cli/process/alerts.ts';
import {
  createProblemCommands,
  type ProblemCommandLimits,
  problemCommandLimits,
} from '../../../src/cli/process/problem-commands.ts';

const problem = {
  severity: 'critical',
  check: 'nodes',
  title: 'Node b is stopped; "$(touch owned)"\n\u001B[31m',
  evidence: 'had 3 clients',
} as const;

function alertsWith(config: Partial<Parameters<typeof createAlerts>[0]>, limits: Partial<ProblemCommandLimits> = {}) {
  const commands = createProblemCommands({ ...problemCommandLimits, lookMs: 20, ...limits });
  onTestFinished(() => commands.stop());
  const [written, failures]: [string[], string[]] = [[], []];
  const alert = createAlerts({
    hasBell: false,
    hasNotification: false,
    command: undefined,
    context: 'prod',
    url: 'http://127.0.0.1',
    env: { PATH: process.env['PATH'], TERM: 'xterm' },
    commands,
    write: (codes) => {
      written.push(codes);
    },
    onFailure: (text) => {
      failures.push(text);
    },
    ...config,
  });
  return { alert, written, failures, commands };
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

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'brokertop-alerts-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const textIn = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '');

/** Returns a complete line: the file may be half written. */
const lineIn = async (file: string): Promise<string> => /^.*(?=\n)/u.exec(await textIn(file))?.[0] ?? '';

/** A zombie has ended. */
const hasEnded = async (pid: string): Promise<boolean> => /^$|\) Z/u.test(await textIn(`/proc/${pid}/stat`));

test('the command gets the problem in its environment, where no shell reads it', async () => {
  const file = path.join(await temporaryFolder(), 'told');
  const { alert, failures } = alertsWith({
    command: `printf '%s|%s|%s|%s|%s' "$BROKERTOP_CONTEXT" "$BROKERTOP_URL" "$BROKERTOP_CHECK" "$BROKERTOP_PROBLEM" "$BROKERTOP_EVIDENCE" > '${file}.new' && mv '${file}.new' '${file}'`,
  });
  alert(problem);
  await expect.poll(() => textIn(file)).toBe(`prod|http://127.0.0.1|nodes|${problem.title}|had 3 clients`);
  expect(failures).toEqual([]);
});

test('a command that fails is logged, with its last line', async () => {
  const { alert, failures } = alertsWith({ command: 'echo first >&2; echo "no such pager" >&2; exit 7' });
  alert(problem);
  await expect.poll(() => failures).toEqual(['The command of --on-problem failed (exit code 7: no such pager).']);
});

test('a command that cannot be started is logged', () => {
  const { alert, failures } = alertsWith({ command: 'x'.repeat(200_000) });
  alert(problem);
  expect(failures).toEqual(['The command of --on-problem failed (E2BIG).']);
});

test('texts that no variable can hold are escaped and cut', async () => {
  const file = path.join(await temporaryFolder(), 'told');
  const { alert, failures } = alertsWith({
    command: `printf '%s|%s\n' "$BROKERTOP_PROBLEM" "$BROKERTOP_EVIDENCE" > '${file}.new' && mv '${file}.new' '${file}'`,
  });
  alert({ ...problem, title: 'client a\0b is lost', evidence: `begin${'é'.repeat(200_000)}end` });
  await expect.poll(() => textIn(file)).not.toBe('');
  expect(await textIn(file)).toMatch(/^client a\\x00b is lost\|begin(?=.{8000,9000}$)é+…é+end$/mu);
  expect(failures).toEqual([]);
});

test('a command has a session of its own, and so no terminal', async () => {
  const file = path.join(await temporaryFolder(), 'told');
  const { alert } = alertsWith({ command: `echo "$$ $(cut -d ' ' -f 6,7 /proc/$$/stat)" > '${file}'` });
  alert(problem);
  await expect.poll(() => lineIn(file)).toMatch(/^(\d+) \1 0$/u);
});

test('after the limit a command is killed with its children', async () => {
  const file = path.join(await temporaryFolder(), 'pid');
  const { alert, failures } = alertsWith({ command: `sleep 1000 & echo $! > '${file}'; wait` }, { maxMs: 2_000 });
  alert(problem);
  await expect.poll(() => lineIn(file)).not.toBe('');
  await expect.poll(async () => hasEnded(await lineIn(file))).toBe(true);
  await expect.poll(() => failures).toEqual(['The command of --on-problem was killed after 2 s.']);
});

test('a background process of a command has the same limit', async () => {
  const file = path.join(await temporaryFolder(), 'pid');
  const { alert, failures } = alertsWith(
    { command: `sleep 1000 > /dev/null 2>&1 & echo $! > '${file}'` },
    { maxMs: 2_000 },
  );
  alert(problem);
  await expect.poll(() => lineIn(file)).not.toBe('');
  await expect.poll(async () => hasEnded(await lineIn(file))).toBe(true);
  expect(failures).toEqual([]);
});

test('when the program ends, running commands are killed with their children', async () => {
  const file = path.join(await temporaryFolder(), 'pid');
  const { alert, commands, failures } = alertsWith({ command: `sleep 1000 & echo $! > '${file}'; wait` });
  alert(problem);
  await expect.poll(() => lineIn(file)).not.toBe('');
  await commands.stop();
  await expect.poll(async () => hasEnded(await lineIn(file))).toBe(true);
  alert(problem);
  expect(failures).toEqual([]);
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)(
  '%s ends the program while it waits for its commands, and they end too',
  async (signal) => {
    const file = path.join(await temporaryFolder(), 'pid');
    const command = `sleep 1000 & echo $! > '${file}'; wait`;
    const module = new URL('../../../src/cli/process/problem-commands.ts', import.meta.url).href;
    const program = `import { createProblemCommands, problemCommandLimits } from ${JSON.stringify(module)};
      const commands = createProblemCommands({ ...problemCommandLimits, lookMs: 100_000 });
      commands.run({ command: ${JSON.stringify(command)}, env: process.env, onFailure: () => {} });
      process.stdin.once('data', async () => {
        const stopped = commands.stop();
        process.stdout.write('stopping');
        await stopped;
      });`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    await expect.poll(() => lineIn(file), { timeout: 30_000 }).not.toBe('');
    const pid = await lineIn(file);
    child.stdin.write('q');
    await once(child.stdout, 'data');
    child.kill(signal);
    expect(await exited).toEqual([null, signal]);
    await expect.poll(() => hasEnded(pid)).toBe(true);
  },
);

test('a signal that something else handles leaves the commands their time', async () => {
  const file = path.join(await temporaryFolder(), 'pid');
  const { alert } = alertsWith({ command: `echo $$ > '${file}'; sleep 1000` });
  const handled = vi.fn<() => void>();
  process.on('SIGHUP', handled);
  onTestFinished(() => {
    process.off('SIGHUP', handled);
  });
  alert(problem);
  await expect.poll(() => lineIn(file)).not.toBe('');
  process.kill(process.pid, 'SIGHUP');
  await expect.poll(() => handled.mock.calls.length).toBe(1);
  expect(await hasEnded(await lineIn(file))).toBe(false);
});

test('300 problems at once run a few commands at a time, and those that are too many are logged', async () => {
  const folder = await temporaryFolder();
  const ran = path.join(folder, 'ran');
  // Each command waits for the file, so that all problems have come before the first command ends.
  const { alert, failures } = alertsWith({
    command: `echo "$BROKERTOP_PROBLEM" >> '${ran}'; until [ -e '${folder}/go' ]; do sleep 0.05; done`,
  });
  for (let index = 1; index <= 300; index += 1) alert({ ...problem, title: `problem ${index}` });
  const lines = async (): Promise<string[]> => (await textIn(ran)).split('\n').slice(0, -1);
  await expect.poll(async () => (await lines()).length).toBe(4);
  expect(failures).toEqual([]);
  await writeFile(path.join(folder, 'go'), '');
  await expect.poll(async () => (await lines()).length, { timeout: 60_000 }).toBe(104);
  expect(new Set(await lines())).toEqual(new Set(Array.from({ length: 104 }, (_, index) => `problem ${index + 1}`)));
  expect(failures).toEqual(['The command of --on-problem was not run for 196 problems: 100 were waiting.']);
});
