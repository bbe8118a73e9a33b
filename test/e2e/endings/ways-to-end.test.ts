import { execFileSync } from 'node:child_process';
import { hint } from '../../support/texts.ts';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type BuiltCluster, builtProgram, startBuiltCluster } from '../../support/built-cluster.ts';
import { untouchedModes } from '../../support/terminal-screen.ts';
import type { TerminalSession } from '../../support/terminal.ts';
import { beginForm, dialogIs, showQuestion } from '../actions/dialogs.ts';
import {
  closeTerminalsAtEnd,
  connectQuietClients,
  expectRestored,
  hintsOf,
  numberedIds,
  open,
  openMonitor,
  openPasswordPrompt,
  type QuietClients,
  showClients,
  waitForCursor,
  waitForFrame,
  signalEndings,
} from '../support.ts';

closeTerminalsAtEnd();

const fault = fileURLToPath(new URL('fault.mjs', import.meta.url));

let cluster: BuiltCluster;
let quiet: QuietClients;
let state: string;

beforeAll(async () => {
  state = mkdtempSync(path.join(tmpdir(), 'brokertop-state-'));
  cluster = await startBuiltCluster({ nodes: 1 });
  quiet = await connectQuietClients(cluster.mqttPorts, numberedIds('pump', 9));
}, 180_000);

afterAll(async () => {
  await quiet?.end();
  await cluster?.stop();
  rmSync(state, { recursive: true, force: true });
});

/** A screen or dialog that is open when the program ends. */
interface Place {
  readonly name: string;
  /** Added to the environment of the cluster. */
  readonly env?: Readonly<Record<string, string>>;
  /** The commands in the crash report. */
  readonly commands: RegExp;
  readonly enter: (terminal: TerminalSession) => Promise<void>;
  readonly isThere: (terminal: TerminalSession) => boolean;
  /** Whether typed text is never shown. */
  readonly isHidden?: boolean;
  /** Whether text is typed in this place: then the terminal's cursor is shown. */
  readonly isTyping?: boolean;
}

const showPumps = async (terminal: TerminalSession): Promise<void> => {
  await showClients(terminal, 9);
  await waitForCursor(terminal, 'pump-01');
};

const places: readonly Place[] = [
  {
    name: 'a list with a filter',
    commands: /^commands +screenClients, filter\b/mu,
    enter: async (terminal) => {
      await showPumps(terminal);
      terminal.press('/');
      await terminal.waitFor((session) => hintsOf(session).includes(hint('promptAccept')));
      terminal.type('pump');
      await terminal.waitFor('/ pump');
    },
    isThere: (terminal) => terminal.text().includes('/ pump'),
    isTyping: true,
  },
  {
    name: 'a question',
    commands: /^commands +screenClients, disconnect\b/mu,
    enter: async (terminal) => {
      await showPumps(terminal);
      terminal.press('K');
      await showQuestion(terminal, 'Disconnect this client?');
    },
    isThere: dialogIs('Disconnect this client?'),
  },
  {
    name: 'a form with text',
    commands: /^commands +screenClients, publish\b/mu,
    enter: async (terminal) => {
      await showPumps(terminal);
      terminal.press('P');
      await beginForm(terminal, 'Publish a message');
      terminal.press('ctrl-u');
      terminal.type('half a topic');
      await terminal.waitFor('half a topic');
    },
    isThere: (terminal) => terminal.text().includes('half a topic'),
    isTyping: true,
  },
  {
    name: 'the form for a password in place of a rejected one',
    env: { BROKERTOP_PASSWORD: 'wrong' },
    commands: /^terminal /mu,
    enter: async (terminal) => {
      await openPasswordPrompt(terminal);
      terminal.type('half a topic');
      // Whatever the number of typed characters.
      await terminal.waitFor(`Password of admin: ${'*'.repeat(8)}`);
    },
    isThere: (terminal) => terminal.text().includes('Password of admin:'),
    isHidden: true,
    isTyping: true,
  },
];

/** Ways to end the program, and its exit code. */
const endings: readonly (readonly [name: string, end: (terminal: TerminalSession) => void, code: number])[] = [
  [
    'Ctrl-C',
    (terminal) => {
      terminal.press('ctrl-c');
    },
    0,
  ],
  ...signalEndings,
];

const faults: readonly (readonly [
  kind: 'exception' | 'rejection' | 'render',
  provoke: (terminal: TerminalSession) => Promise<void>,
])[] = [
  ['exception', async () => undefined],
  ['rejection', async () => undefined],
  [
    'render',
    async (terminal) => {
      await terminal.waitFor((session) => session.effects().titles.includes('armed'));
      // Another size renders the header again.
      terminal.resize(90, 30);
    },
  ],
];

const openAt = async (place: Place, kind?: string, output: Uint8Array[] = []): Promise<TerminalSession> => {
  const terminal = openMonitor(cluster.monitor, {
    checkTty: true,
    onOutput: (bytes) => output.push(bytes),
    env: {
      XDG_STATE_HOME: state,
      ...place.env,
      ...(kind !== undefined && { NODE_OPTIONS: `--import=${fault}`, FAULT: kind }),
    },
  });
  await waitForFrame(terminal);
  await place.enter(terminal);
  return terminal;
};

/** All of them in the first place. Signals and errors are caught alike whatever is open: elsewhere one of each kind. */
const inPlace = <Each extends readonly [name: string, ...rest: unknown[]]>(
  place: Place,
  all: readonly Each[],
  ...elsewhere: readonly string[]
): readonly Each[] => (place === places[0] ? all : all.filter(([name]) => elsewhere.includes(name)));

for (const place of places) {
  describe.concurrent(`in ${place.name} the terminal is as it was before`, () => {
    test.each(inPlace(place, endings, 'Ctrl-C', 'SIGTERM'))('after %s', async (_name, end, code) => {
      const output: Uint8Array[] = [];
      const terminal = await openAt(place, undefined, output);
      end(terminal);
      const exit = await terminal.exited;
      expect(exit).toMatchObject({ code });
      expectRestored(terminal, exit);
      expect(terminal.processes()).toEqual([]);
      expect(terminal.text().trim()).toBe('');
      expect(place.isHidden === true && Buffer.concat(output).toString('latin1').includes('half')).toBe(false);
    });

    test.each(inPlace(place, faults, 'render'))(
      'after an internal error (%s), with one screen of text and a report without ids and secrets',
      async (kind, provoke) => {
        const terminal = await openAt(place, kind);
        terminal.signal('SIGUSR2');
        await provoke(terminal);
        const exit = await terminal.exited;
        expect(exit).toMatchObject({ code: 1 });
        // The size is the terminal's own.
        const [ttyBefore, ttyAfter] = [exit.ttyBefore, exit.ttyAfter].map((text) =>
          text?.replace(/rows \d+; columns \d+/u, ''),
        );
        expectRestored(terminal, { ...exit, ttyBefore, ttyAfter });
        expect(terminal.processes()).toEqual([]);
        expect(terminal.text()).toMatch(new RegExp(`^brokertop: internal error: Error: fault `, 'u'));
        const report = readFileSync(
          /Crash report: (.*?\.txt)/u.exec(terminal.text().replaceAll('\n', ''))?.[1] ?? 'none',
          'utf8',
        );
        expect(report).toMatch(/^terminal +(80x24|90x30), TERM=xterm-256color/mu);
        expect(report).toMatch(place.commands);
        for (const secret of [cluster.password, 'pump', 'half a topic']) expect(report).not.toContain(secret);
      },
    );

    test('after the window is closed, with nothing left running', async ({ expect: expectHere }) => {
      const terminal = await openAt(place);
      terminal.hangUp();
      expectHere(await terminal.exited).toMatchObject({ code: 129 });
      await expectHere.poll(() => terminal.processes(), { timeout: 30_000 }).toEqual([]);
    });
  });
}

test('the last five crash reports are kept', () => {
  expect(readdirSync(path.join(state, 'brokertop')).filter((name) => name.startsWith('crash-'))).toHaveLength(5);
});

/** Opens a shell that runs the program as a job. */
const openShell = async (
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<TerminalSession> => {
  const terminal = open({
    command: 'bash',
    args: ['--norc', '--noprofile', '-i'],
    env: { ...env, XDG_STATE_HOME: state, PS1: 'ready> ', HISTFILE: '' },
  });
  await terminal.waitFor('ready>');
  terminal.type(`${[process.execPath, ...args].join(' ')}\r`);
  return terminal;
};

const pidOf = (terminal: TerminalSession): number =>
  terminal.processes().find(({ command }) => command.includes(builtProgram))?.pid ?? 0;

/** The bytes that the program has read so far. */
const bytesRead = (terminal: TerminalSession): number =>
  Number(/^rchar: (\d+)$/mu.exec(readFileSync(`/proc/${pidOf(terminal)}/io`, 'utf8'))?.[1]);

/** Checks that the shell has the terminal, with its usual settings. */
const expectShellHasIt = async (terminal: TerminalSession, round: number): Promise<void> => {
  await terminal.waitFor(
    (session) => !session.modes().isAlternateScreen && session.text().split('Stopped').length > round,
  );
  await terminal.waitFor(
    (session) =>
      session
        .lines()
        .findLast((line) => line.trim() !== '')
        ?.trim() === 'ready>',
  );
  expect(terminal.modes()).toEqual({ ...untouchedModes, isBracketedPaste: terminal.modes().isBracketedPaste });
  terminal.type(`stty -a | tr ' ' '\\n' | grep -xE -e '-?(icanon|echo|isig)' | tr '\\n' .; echo ${round}$((6*7))\r`);
  await terminal.waitFor(`${round}42`);
  expect(terminal.text()).toMatch(/isig\.icanon\.echo\./);
};

const stops: readonly [string, (terminal: TerminalSession) => void][] = [
  [
    'Ctrl-Z',
    (terminal) => {
      terminal.press('ctrl-z');
    },
  ],
  [
    'SIGTSTP',
    (terminal) => {
      process.kill(pidOf(terminal), 'SIGTSTP');
    },
  ],
];

describe.concurrent('stopped and continued', () => {
  test.each(
    places.flatMap((place) =>
      inPlace(place, stops, 'Ctrl-Z').map(([name, stop]) => [name, place.name, stop, place] as const),
    ),
  )('by %s in %s, it resumes where it was', async (_name, _place, stop, place) => {
    const terminal = await openShell([...cluster.monitor.args, '--interval', '0.5'], {
      ...cluster.monitor.env,
      ...place.env,
    });
    await waitForFrame(terminal);
    await place.enter(terminal);
    for (const round of [1, 2]) {
      stop(terminal);
      await expectShellHasIt(terminal, round);
      terminal.type('fg\r');
      await terminal.waitFor((session) => session.modes().isAlternateScreen && place.isThere(session));
    }
    expect(terminal.modes()).toMatchObject({
      isCursorVisible: place.isTyping === true,
      isBracketedPaste: true,
      mouse: 'vt200',
    });
    // Until raw mode is back, Ctrl-C is a signal.
    await terminal.waitFor(() =>
      execFileSync('stty', ['-a', '-F', readlinkSync(`/proc/${terminal.pid}/fd/0`)], { encoding: 'utf8' }).includes(
        '-isig',
      ),
    );
    terminal.press('ctrl-c');
    await terminal.waitFor((session) => !session.modes().isAlternateScreen);
    terminal.type('echo code=$?\r');
    await terminal.waitFor('code=0');
  });

  test.each(stops)('by %s at the password prompt, typed text is never shown', async (_name, stop) => {
    const output: Uint8Array[] = [];
    const terminal = open({
      command: 'bash',
      args: ['--norc', '--noprofile', '-i'],
      env: { PS1: 'ready> ', HISTFILE: '', XDG_STATE_HOME: state },
      onOutput: (bytes) => output.push(bytes),
    });
    await terminal.waitFor('ready>');
    terminal.type(`${process.execPath} ${builtProgram} --url ${cluster.url}\r`);
    await terminal.waitFor('Password for admin');
    const half = Math.floor(cluster.password.length / 2);
    const before = bytesRead(terminal);
    terminal.type(cluster.password.slice(0, half));
    // A signal can overtake what is typed; the shell would read it then.
    await vi.waitUntil(() => bytesRead(terminal) >= before + half, 30_000);
    stop(terminal);
    await expectShellHasIt(terminal, 1);
    const asked = terminal.text().split('Password for admin').length;
    terminal.type('fg\r');
    await terminal.waitFor((session) => session.text().split('Password for admin').length > asked);
    terminal.type(`${cluster.password.slice(half)}\r`);
    await waitForFrame(terminal, (session) => session.text().includes('1/1 nodes'));
    terminal.press('q');
    await terminal.waitFor((session) => !session.modes().isAlternateScreen);
    const shown = Buffer.concat(output).toString('latin1');
    for (const secret of [cluster.password.slice(0, half), cluster.password.slice(half)])
      expect(shown).not.toContain(secret);
  });
});
