import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BuiltCluster, builtProgram, startBuiltCluster } from '../support/built-cluster.ts';
import { listenOnLoopback } from '../support/loopback.ts';
import { answer, startRawServer } from '../support/raw-http-server.ts';
import type { TerminalSession } from '../support/terminal.ts';
import { startTlsFront } from '../support/tls-front.ts';
import { closeTerminalsAtEnd, expectRestored, open } from './support.ts';

closeTerminalsAtEnd();

let cluster: BuiltCluster;
let home: string;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  cluster = await startBuiltCluster({ nodes: 1 });
  const failing = await startRawServer({ '*': answer(500, 'no') });
  const silent = await listenOnLoopback(createServer());
  const front = await startTlsFront(Number(new URL(cluster.url).port));
  closing.push(failing.close, silent.close, front.close);
  home = mkdtempSync(path.join(tmpdir(), 'brokertop-home-'));
  const file = (name: string, text: string): string => {
    writeFileSync(path.join(home, name), text, { mode: 0o600 });
    return path.join(home, name);
  };
  const password = file('password', `${cluster.password}\n`);
  const context = (
    name: string,
    url: string,
    source: string | undefined = `password-file = "${password}"`,
  ): string[] => [`[contexts.${name}]`, `url = "${url}"`, ...(source === '' ? [] : [source])];
  mkdirSync(path.join(home, '.config', 'brokertop'), { recursive: true });
  file(
    '.config/brokertop/config.toml',
    [
      ...context('good', cluster.url),
      ...context('healthy', cluster.url),
      ...context('refuses', 'http://127.0.0.1:1'),
      ...context('unknown', 'https://nowhere.invalid'),
      ...context('certificate', front.url),
      ...context('failing', failing.url),
      ...context('silent', `http://127.0.0.1:${silent.port}`),
      ...context('rejects', cluster.url, `password-file = "${file('wrong', 'wrong\n')}"`),
      ...context('typed', cluster.url, ''),
    ].join('\n'),
  );
}, 180_000);

afterAll(async () => {
  rmSync(home, { recursive: true, force: true });
  await Promise.all(closing.map((close) => close()));
  await cluster?.stop();
});

const start = (context: string, env: Readonly<Record<string, string>> = {}): TerminalSession =>
  open({
    command: process.execPath,
    args: [builtProgram, '--context', context],
    cols: 160,
    checkTty: true,
    env: { HOME: home, XDG_CONFIG_HOME: undefined, ...env },
  });

const choose = async (terminal: TerminalSession, command: string): Promise<void> => {
  await terminal.pressAndWaitFor(':', 'Commands');
  terminal.type(command);
  await terminal.waitFor(`▸ ${command}`);
  terminal.press('enter');
};

const quitByCtrlC = async (terminal: TerminalSession): Promise<void> => {
  terminal.press('ctrl-c');
  const exit = await terminal.exited;
  expect(exit).toMatchObject({ code: 0 });
  expectRestored(terminal, exit);
};

const isOn =
  (context: string) =>
  (session: TerminalSession): boolean =>
    session.text().includes(`${context} › http`);

/** What the screen shows once it knows the state of each cluster. */
const states: readonly (readonly [context: string, shown: string])[] = [
  ['healthy', '1/1 nodes'],
  ['refuses', 'connection refused'],
  ['unknown', 'nowhere.invalid'],
  ['certificate', 'certificate'],
  ['failing', '500'],
  ['silent', '···'],
  ['rejects', 'press A to sign in'],
];

const showState = (terminal: TerminalSession, context: string, shown: string): Promise<void> =>
  terminal.waitFor((session) => isOn(context)(session) && session.text().includes(shown));

test.concurrent.each(states)(
  'every key works after leaving a cluster in the state "%s", and in it',
  async (context, shown) => {
    const terminal = start(context);
    await showState(terminal, context, shown);
    await choose(terminal, 'context good');
    await terminal.waitFor((session) => isOn('good')(session) && session.text().includes('1/1 nodes'));
    await terminal.pressAndWaitFor('4', 'CLIENT ID');
    await choose(terminal, `context ${context}`);
    await showState(terminal, context, shown);
    await choose(terminal, 'clusters');
    await terminal.waitFor('Problems of all clusters');
    terminal.type(`/${context}`);
    await terminal.waitFor(new RegExp(`^▸${context}`, 'mu'));
    terminal.press('enter');
    terminal.press('enter');
    await showState(terminal, context, shown);
    await quitByCtrlC(terminal);
  },
);

test.concurrent('a cluster opened from all clusters shows at once what is known of it, and goes on from there', async () => {
  const terminal = start('good');
  await showState(terminal, 'good', '1/1 nodes');
  await choose(terminal, 'clusters');
  await terminal.waitFor('Problems of all clusters');
  terminal.type('/healthy');
  await terminal.waitFor(/^▸healthy .* 1\/1/mu);
  terminal.press('enter');
  terminal.press('enter');
  const first: boolean[] = [];
  await terminal.waitFor((session) => {
    if (isOn('healthy')(session)) first.push(session.text().includes('1/1 nodes'));
    return first.includes(true);
  });
  expect(first).toEqual([true]);
  await terminal.pressAndWaitFor('4', 'CLIENT ID');
  await quitByCtrlC(terminal);
});

test.concurrent('the keyboard works after a password typed between two screens', async () => {
  const terminal = start('refuses');
  await showState(terminal, 'refuses', 'connection refused');
  await choose(terminal, 'context typed');
  await terminal.waitFor(/^Password for \S+ at .*: *$/mu);
  terminal.type(`${cluster.password}\r`);
  await terminal.waitFor((session) => isOn('typed')(session) && session.text().includes('1/1 nodes'));
  await terminal.pressAndWaitFor('4', 'CLIENT ID');
  await quitByCtrlC(terminal);
});

/** Sends SIGINT, as Ctrl-C does while no screen reads keys, when the program stops reading them. */
const interruptBetweenScreens = `data:text/javascript,${encodeURIComponent(`
const { pause } = process.stdin;
process.stdin.pause = function interrupted() { process.kill(process.pid, 'SIGINT'); return pause.call(this); };
`)}`;

test.concurrent('a signal between two screens ends the program', async () => {
  const terminal = start('refuses', { NODE_OPTIONS: `--import=${interruptBetweenScreens}` });
  await showState(terminal, 'refuses', 'connection refused');
  await choose(terminal, 'context good');
  const exit = await terminal.exited;
  expect(exit).toMatchObject({ code: 130 });
  expectRestored(terminal, exit);
});
