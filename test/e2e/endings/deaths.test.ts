import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, type ExpectStatic, test } from 'vitest';
import { type BuiltCluster, builtProgram, startBuiltCluster } from '../../support/built-cluster.ts';
import { untouchedModes } from '../../support/terminal-screen.ts';
import type { TerminalSession } from '../../support/terminal.ts';
import { clientCount, closeTerminalsAtEnd, open, openReadyMonitor, waitForFrame } from '../support.ts';

closeTerminalsAtEnd();

const fault = fileURLToPath(new URL('fault.mjs', import.meta.url));
const patient = { timeout: 30_000 };
/** Output that only the guard writes. */
const guardMark = '\u0018';

let cluster: BuiltCluster;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'brokertop-deaths-'));
  cluster = await startBuiltCluster({ nodes: 1 });
}, 180_000);

afterAll(async () => {
  await cluster?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The current settings of a terminal, read from outside. */
const settingsOf = (terminal: TerminalSession): string =>
  execFileSync('stty', ['-g', '-F', readlinkSync(`/proc/${terminal.pid}/fd/0`)], { encoding: 'utf8' });

const guards = (terminal: TerminalSession): number[] =>
  terminal
    .processes()
    .filter(({ command }) => command.includes('terminal-guard'))
    .map(({ pid }) => pid);

const monitorPid = (terminal: TerminalSession): number =>
  terminal.processes().find(({ command }) => command.startsWith(process.execPath) && command.includes(builtProgram))
    ?.pid ?? 0;

const isStopped = (pid: number): boolean => readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') T ');

/** The settings that a command of the shell runs with. */
const settingsInShell = async (terminal: TerminalSession, label: string): Promise<string> => {
  terminal.type(`echo "${label}"-$(stty -g)-end\r`);
  const shown = new RegExp(`^(?:ready> )?${label}-(\\S+)-end`, 'mu');
  await terminal.waitFor(shown);
  return shown.exec(terminal.text())?.[1] ?? '';
};

interface Shell {
  readonly terminal: TerminalSession;
  /** All output of the terminal. */
  readonly output: () => string;
  readonly atPrompt: string;
  readonly inCommand: string;
}

const openShell = async (
  command: readonly string[],
  run: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Shell> => {
  const chunks: Uint8Array[] = [];
  const [shell = '', ...args] = command;
  const terminal = open({
    command: shell,
    args,
    cols: 200,
    env: { ...cluster.monitor.env, ...env, XDG_STATE_HOME: folder, PS1: 'ready> ', HISTFILE: '' },
    onOutput: (bytes) => chunks.push(bytes),
  });
  await terminal.waitFor('ready>');
  // A setting that the user chose.
  terminal.type('ulimit -c 0; stty -ixon\r');
  const inCommand = await settingsInShell(terminal, 'first');
  await terminal.waitFor(
    (session) =>
      session
        .lines()
        .findLast((line) => line.trim() !== '')
        ?.trim() === 'ready>',
  );
  const atPrompt = settingsOf(terminal);
  terminal.type(`${run.join(' ')}\r`);
  return { terminal, output: () => Buffer.concat(chunks).toString('latin1'), atPrompt, inCommand };
};

const startMonitor = async (command: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Shell> => {
  const shell = await openShell(command, [process.execPath, ...cluster.monitor.args, '--interval', '0.5'], env);
  await waitForFrame(shell.terminal, (session) => session.text().includes('1/1 nodes'));
  return shell;
};

/** Checks that screen, cursor, modes and settings are the shell's, and that no guard is left. */
const expectShellRestored = async (
  { terminal, atPrompt, inCommand }: Shell,
  expectHere: ExpectStatic,
): Promise<void> => {
  await expectHere.poll(() => ({ ...terminal.modes(), isBracketedPaste: false }), patient).toEqual(untouchedModes);
  await expectHere.poll(() => settingsOf(terminal), patient).toBe(atPrompt);
  await expectHere.poll(() => guards(terminal), patient).toEqual([]);
  expectHere(await settingsInShell(terminal, 'then')).toBe(inCommand);
};

const bash = ['bash', '--norc', '--noprofile', '-i'];
const dash = ['dash', '-i'];

/** Ways in which the program dies, with the environment for it. */
const deaths: readonly (readonly [
  name: string,
  die: (terminal: TerminalSession) => void,
  env?: Readonly<Record<string, string>>,
])[] = [
  [
    'SIGKILL',
    (terminal) => {
      process.kill(monitorPid(terminal), 'SIGKILL');
    },
  ],
  [
    'SIGSEGV',
    (terminal) => {
      process.kill(monitorPid(terminal), 'SIGSEGV');
    },
  ],
  [
    'SIGABRT',
    (terminal) => {
      process.kill(monitorPid(terminal), 'SIGABRT');
    },
  ],
  [
    'an abort of its own',
    (terminal) => {
      process.kill(monitorPid(terminal), 'SIGUSR2');
    },
    { NODE_OPTIONS: `--import=${fault}`, FAULT: 'abort' },
  ],
  [
    'a full heap',
    (terminal) => {
      process.kill(monitorPid(terminal), 'SIGUSR2');
    },
    { NODE_OPTIONS: `--import=${fault} --max-old-space-size=60`, FAULT: 'heap' },
  ],
];

describe.concurrent('killed, it leaves the terminal restored', () => {
  // bash restores its settings after a job was killed, dash does not.
  test.for(
    deaths.flatMap(
      ([name, die, env]) =>
        [
          [name, 'bash', bash, die, env],
          [name, 'dash', dash, die, env],
        ] as const,
    ),
  )('by %s, in %s', async ([, , command, die, env], { expect }) => {
    const shell = await startMonitor(command, env);
    die(shell.terminal);
    await expectShellRestored(shell, expect);
  });

  test('by SIGKILL, as the child of a script', async ({ expect }) => {
    const terminal = open({
      command: 'bash',
      args: [
        '-c',
        'stty -ixon; echo ready; read -r line; "$@"; code=$?; read -r line; echo "gone $code"; read -r line',
        'bash',
        process.execPath,
        ...cluster.monitor.args,
      ],
      env: { ...cluster.monitor.env, XDG_STATE_HOME: folder },
    });
    await terminal.waitFor('ready');
    const before = settingsOf(terminal);
    terminal.press('enter');
    await waitForFrame(terminal);
    process.kill(monitorPid(terminal), 'SIGKILL');
    await expect.poll(() => terminal.modes(), patient).toEqual(untouchedModes);
    await expect.poll(() => settingsOf(terminal), patient).toBe(before);
    await expect.poll(() => guards(terminal), patient).toEqual([]);
    terminal.press('enter');
    await terminal.waitFor('gone 137');
  });

  test.for([{ flags: [] }, { flags: ['--once'] }])(
    'by SIGKILL at the password prompt $flags',
    async ({ flags }, { expect }) => {
      const shell = await openShell(dash, [process.execPath, builtProgram, '--url', cluster.url, ...flags], {
        BROKERTOP_PASSWORD: '',
      });
      await shell.terminal.waitFor('Password for admin');
      process.kill(monitorPid(shell.terminal), 'SIGKILL');
      await expectShellRestored(shell, expect);
      // The cursor stays in place: there was no alternate screen.
      expect(shell.output()).not.toContain(guardMark);
    },
  );

  test('by SIGKILL in the demo; broker and fleet end too', async ({ expect }) => {
    const shell = await openShell(dash, [process.execPath, builtProgram, 'demo', '--nodes', '1', '--clients', '3']);
    await shell.terminal.waitFor((session) => clientCount(session) === 3, { timeoutMs: 60_000 });
    process.kill(monitorPid(shell.terminal), 'SIGKILL');
    await expectShellRestored(shell, expect);
    await expect.poll(() => shell.terminal.processes().map(({ pid }) => pid), patient).toEqual([shell.terminal.pid]);
  });
});

describe.concurrent('the demo continues when its processes are killed, and restores the terminal', () => {
  test.for(['broker', 'fleet'])('%s', async (name, { expect }) => {
    const shell = await openShell(bash, [
      process.execPath,
      builtProgram,
      'demo',
      '--nodes',
      '1',
      '--clients',
      '3',
      '--interval',
      '0.5',
    ]);
    const { terminal } = shell;
    await terminal.waitFor((session) => clientCount(session) === 3, { timeoutMs: 60_000 });
    const killed = terminal.processes().find(({ command }) => command.includes(` ${name} --`));
    process.kill(killed?.pid ?? 0, 'SIGKILL');
    // The monitor has noticed.
    await expect.poll(() => existsSync(`/proc/${killed?.pid}`), patient).toBe(false);
    terminal.press('ctrl-c');
    await terminal.waitFor(`The demo's ${name} exited unexpectedly (signal SIGKILL).`);
    await expectShellRestored(shell, expect);
    expect(terminal.processes()).toHaveLength(1);
    expect(shell.output()).not.toContain(guardMark);
  });
});

describe.concurrent('the guard writes nothing and changes nothing', () => {
  const endings: readonly (readonly [name: string, end: (terminal: TerminalSession) => void])[] = [
    [
      'q',
      (terminal) => {
        terminal.press('q');
      },
    ],
    [
      'Ctrl-C',
      (terminal) => {
        terminal.press('ctrl-c');
      },
    ],
    ...(['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT'] as const).map(
      (signal) =>
        [
          signal,
          (terminal: TerminalSession): void => {
            process.kill(monitorPid(terminal), signal);
          },
        ] as const,
    ),
  ];

  test.for(endings)('after %s, and ends', async ([, end], { expect }) => {
    const shell = await startMonitor(bash);
    end(shell.terminal);
    await shell.terminal.waitFor((session) => !session.modes().isAlternateScreen);
    await shell.terminal.waitFor(
      (session) =>
        session
          .lines()
          .findLast((line) => line.trim() !== '')
          ?.trim() === 'ready>',
    );
    expect(shell.terminal.processes()).toHaveLength(1);
    await expectShellRestored(shell, expect);
    expect(shell.output()).not.toContain(guardMark);
  });

  test.for(['q', 'kill'])('after Ctrl-Z, fg and Ctrl-Z again, then %s', async (last, { expect }) => {
    const shell = await startMonitor(bash);
    const { terminal } = shell;
    terminal.press('ctrl-z');
    await terminal.waitFor((session) => session.text().includes('Stopped'));
    expect(guards(terminal)).toHaveLength(1);
    terminal.type('fg\r');
    await waitForFrame(terminal, (session) => session.modes().isAlternateScreen);
    terminal.press(last === 'q' ? 'q' : 'ctrl-z');
    await terminal.waitFor((session) => !session.modes().isAlternateScreen);
    if (last === 'kill') {
      // Restored, it still has to dismiss its guard before it stops.
      await expect.poll(() => isStopped(monitorPid(terminal)), patient).toBe(true);
      process.kill(monitorPid(terminal), 'SIGKILL');
    }
    await expect.poll(() => guards(terminal), patient).toEqual([]);
    await expectShellRestored(shell, expect);
    expect(shell.output()).not.toContain(guardMark);
  });

  test('while a shell has the terminal of the stopped and killed program', async ({ expect }) => {
    const shell = await startMonitor(bash);
    process.kill(monitorPid(shell.terminal), 'SIGSTOP');
    await shell.terminal.waitFor('Stopped');
    await expect.poll(() => settingsOf(shell.terminal), patient).toBe(shell.atPrompt);
    process.kill(monitorPid(shell.terminal), 'SIGKILL');
    // The settings were the shell's all the time; only the screen is restored.
    await expectShellRestored(shell, expect);
  });
});

describe.concurrent('without a guard', () => {
  test('that was killed, the program continues and restores the terminal', async ({ expect }) => {
    const shell = await startMonitor(bash);
    const { terminal } = shell;
    for (const pid of guards(terminal)) process.kill(pid, 'SIGKILL');
    terminal.press('2');
    await waitForFrame(terminal, (session) => session.text().includes('broker1'));
    terminal.press('ctrl-z');
    await terminal.waitFor('Stopped');
    terminal.type('fg\r');
    await waitForFrame(terminal, (session) => session.modes().isAlternateScreen);
    terminal.press('q');
    await terminal.waitFor((session) => !session.modes().isAlternateScreen);
    await expectShellRestored(shell, expect);
  });

  test.for(['sh and stty', 'stty'])(
    'because %s is missing, the program starts and quits',
    async (missing, { expect }) => {
      const bin = mkdtempSync(path.join(folder, 'bin-'));
      if (missing === 'stty') symlinkSync('/bin/sh', path.join(bin, 'sh'));
      const terminal = await openReadyMonitor(cluster.monitor, { env: { PATH: bin } });
      expect(guards(terminal)).toEqual([]);
      terminal.press('q');
      expect(await terminal.exited).toMatchObject({ code: 0 });
      expect(terminal.modes()).toEqual(untouchedModes);
    },
  );
});
