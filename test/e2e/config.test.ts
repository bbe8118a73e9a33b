import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  type BuiltCluster,
  type BuiltClusterOptions,
  builtProgram,
  startBuiltCluster,
} from '../support/built-cluster.ts';
import { closeTerminalsAtEnd, expectRestored, open } from './support.ts';

closeTerminalsAtEnd();

let cluster: BuiltCluster;
let home: string;

beforeAll(async () => {
  cluster = await startBuiltCluster({ nodes: 1 });
  home = mkdtempSync(path.join(tmpdir(), 'brokertop-home-'));
  mkdirSync(path.join(home, '.config', 'brokertop'), { recursive: true });
  writeFileSync(path.join(home, 'password'), `${cluster.password}\n`, { mode: 0o600 });
}, 180_000);

afterAll(async () => {
  rmSync(home, { recursive: true, force: true });
  await cluster?.stop();
});

const write = (...lines: readonly string[]): void => {
  writeFileSync(path.join(home, '.config', 'brokertop', 'config.toml'), lines.join('\n'));
};

const contexts = (): readonly string[] => [
  'context = "plant"',
  '[defaults]',
  `password-file = "${path.join(home, 'password')}"`,
  '[contexts.plant]',
  `url = "${cluster.url}"`,
  'color = "red"',
  'read-only = true',
  '[contexts.gone]',
  'url = "http://127.0.0.1:1"',
];

const environment = (): NodeJS.ProcessEnv => ({ PATH: process.env['PATH'], HOME: home });

const runIn = (env: NodeJS.ProcessEnv, ...args: readonly string[]) =>
  spawnSync(process.execPath, [builtProgram, ...args], { env: { ...environment(), ...env }, encoding: 'utf8' });

const run = (...args: readonly string[]) => runIn({}, ...args);

test('starts with the context of the file, says its name, and has its keys', async () => {
  write(...contexts(), '[keys]', 'log = "%"');
  const terminal = open({
    command: process.execPath,
    args: [builtProgram],
    cols: 160,
    env: { HOME: home, XDG_CONFIG_HOME: undefined },
  });
  await terminal.waitFor(`plant › ${cluster.url}`);
  await terminal.waitFor('1/1 nodes');
  await terminal.waitFor('READ-ONLY');
  terminal.press('%');
  await terminal.waitFor(/^ Timeline/mu);
  terminal.press('ctrl-c');
  expect(await terminal.exited).toMatchObject({ code: 0 });
});

test('reads the cluster of another context once', () => {
  write(...contexts());
  expect(run('--once')).toMatchObject({ status: 0, stderr: '' });
  const gone = run('--once', '-c', 'gone');
  expect(gone.status).toBe(1);
  expect(gone.stderr).toContain('http://127.0.0.1:1');
});

test('a wrong file is refused by every command that reads it, with its position', () => {
  write('[defaults]', 'intervall = 3');
  const file = path.join(home, '.config', 'brokertop', 'config.toml');
  const message = `brokertop: ${file}:2:1: "intervall" is not a setting. Did you mean interval?\n`;
  expect(run('--once')).toMatchObject({ status: 2, stderr: message, stdout: '' });
  expect(run('config', 'check')).toMatchObject({ status: 2, stderr: message, stdout: '' });
});

test('config check says what a context would be refused for', () => {
  write('[contexts.plant]', 'url = "http://broker.example"');
  const result = run('config', 'check');
  expect(result.status).toBe(2);
  expect(result.stderr).toContain('config.toml:1:2: http://');
  write('[contexts.plant]', 'url = "https://broker.example"');
  expect(run('config', 'check')).toMatchObject({ status: 0, stderr: '' });
  expect(run('config', 'path').stdout).toBe(`${path.join(home, '.config', 'brokertop', 'config.toml')}\n`);
});

test('the example can be redirected into the file, and checked', () => {
  write(run('config', 'example').stdout);
  expect(run('config', 'check').stdout).toContain('Contexts: prod, local.');
});

test('switches to another context in the running program, and back', async () => {
  const other = await startBuiltCluster({ nodes: 2 });
  onTestFinished(() => other.stop());
  writeFileSync(path.join(home, 'other-password'), `${other.password}\n`, { mode: 0o600 });
  write(
    ...contexts(),
    '[contexts.other]',
    `url = "${other.url}"`,
    `password-command = "cat ${path.join(home, 'other-password')}"`,
    '[contexts.broken]',
    'password-file = "/nonexistent"',
  );
  const terminal = open({
    command: process.execPath,
    args: [builtProgram, '--read-only'],
    cols: 160,
    checkTty: true,
    env: { HOME: home, XDG_CONFIG_HOME: undefined },
  });
  const choose = async (name: string): Promise<void> => {
    terminal.press(':');
    await terminal.waitFor((session) => session.text().includes('Commands'));
    terminal.type(`context ${name}`);
    await terminal.waitFor((session) => session.text().includes(`▸ context ${name}`));
    terminal.press('enter');
  };
  await terminal.waitFor('1/1 nodes');
  await choose('broken');
  await terminal.waitFor('The password file "/nonexistent" cannot be opened');
  await choose('other');
  await terminal.waitFor(
    (session) =>
      session.text().includes(`other › ${other.url}`) &&
      session.text().includes('2/2 nodes') &&
      session.text().includes('READ-ONLY'),
  );
  await choose('plant');
  await terminal.waitFor(
    (session) => session.text().includes(`plant › ${cluster.url}`) && session.text().includes('1/1 nodes'),
  );
  terminal.press('4');
  await terminal.waitFor('CLIENT ID');
  terminal.press('ctrl-c');
  expect(await terminal.exited).toMatchObject({ code: 0 });
  expectRestored(terminal, await terminal.exited);
});

test('without a choice it begins with all clusters, then with the context that was on the screen last', async () => {
  write(...contexts().filter((line) => line !== 'context = "plant"'));
  const stateFolder = mkdtempSync(path.join(tmpdir(), 'brokertop-state-'));
  onTestFinished(() => {
    rmSync(stateFolder, { recursive: true, force: true });
  });
  const start = () =>
    open({
      command: process.execPath,
      args: [builtProgram],
      cols: 160,
      env: { HOME: home, XDG_CONFIG_HOME: undefined, XDG_STATE_HOME: stateFolder },
    });
  const first = start();
  await first.waitFor('1 of 2 reachable');
  first.type('/plant');
  await first.waitFor('▸plant');
  first.press('enter');
  first.press('enter');
  await first.waitFor(`plant › ${cluster.url}`);
  first.press('ctrl-c');
  expect(await first.exited).toMatchObject({ code: 0 });
  const next = start();
  await next.waitFor(`plant › ${cluster.url}`);
  next.press('ctrl-c');
  expect(await next.exited).toMatchObject({ code: 0 });
});

test('contexts are added, preferred and tested from the shell', () => {
  write('# mine', '[defaults]', `password-file = "~/password" # shared`);
  expect(run('context', 'add', 'plant', '--url', cluster.url, '--color', 'red')).toMatchObject({
    status: 0,
    stderr: '',
  });
  expect(run('context', 'add', 'gone', '--url', 'http://127.0.0.1:1')).toMatchObject({ status: 0, stderr: '' });
  expect(run('context', 'add', 'plant', '--url', cluster.url)).toMatchObject({
    status: 2,
    stderr: 'brokertop: Context plant already exists. Remove it first, or change it in the file.\n',
  });
  expect(run('context', 'use', 'plant').status).toBe(0);
  expect(run('--once')).toMatchObject({ status: 0, stderr: '' });
  // Node's warning about it is not printed: certificates are checked all the same.
  const unchecked = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
  expect(runIn(unchecked, 'context', 'test', 'plant')).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/ok +TCP +\d+ ms .*\n +ok +API +\d+ ms .*1 node/u),
    stderr: '',
  });
  expect(runIn(unchecked, 'doctor').stderr).toBe('');
  const all = run('context', 'test');
  expect(all.status).toBe(1);
  expect(all.stdout).toMatch(/gone {2}http:\/\/127\.0\.0\.1:1\n +failed +TCP +\d+ ms +connection refused\n$/u);
});

test('all clusters at once: the worse one is seen, one that is gone disturbs no other, and Enter goes in', async () => {
  const other = await startBuiltCluster({ nodes: 2 });
  onTestFinished(() => other.stop());
  writeFileSync(path.join(home, 'other-password'), `${other.password}\n`, { mode: 0o600 });
  write(
    ...contexts().filter((line) => !line.startsWith('context')),
    '[contexts.other]',
    `url = "${other.url}"`,
    'password-file = "~/other-password"',
    '[contexts.wrong]',
    `url = "${cluster.url}"`,
    'password-file = "~/other-password"',
  );
  const terminal = open({
    command: process.execPath,
    args: [builtProgram],
    cols: 120,
    checkTty: true,
    env: { HOME: home, XDG_CONFIG_HOME: undefined },
  });
  await terminal.waitFor('2 of 4 reachable');
  await terminal.waitFor(/^.gone +! not reachable/mu);
  await terminal.waitFor(/^.wrong +! login rejected/mu);
  await terminal.waitFor(/^.plant .* 1\/ *1 +0 /mu);
  await terminal.waitFor(/^.other .* 2\/ *2 +0 /mu);
  terminal.type('/other\r');
  await terminal.waitFor(/^▸other/mu);
  terminal.press('enter');
  await terminal.waitFor((session) => session.text().includes('2/2 nodes') && /1 ?Overview/u.test(session.text()));
  terminal.press(':');
  await terminal.waitFor((session) => session.text().includes('Commands'));
  terminal.type('clusters');
  await terminal.waitFor(`▸ clusters`);
  terminal.press('enter');
  await terminal.waitFor('2 of 4 reachable');
  terminal.press('q');
  const exit = await terminal.exited;
  expect(exit).toMatchObject({ code: 0 });
  expectRestored(terminal, exit);
});

test('of two clusters of two dialects, one that stops and starts again is seen to, while the other goes on', async () => {
  const password = path.join(home, 'own-password');
  writeFileSync(password, 'correct horse battery staple\n', { mode: 0o600 });
  const start = (ports?: BuiltClusterOptions['ports']): Promise<BuiltCluster> =>
    startBuiltCluster({ nodes: 1, api: 'v5', passwordFile: password, ports });
  let newer = await start();
  onTestFinished(() => newer.stop());
  write('[defaults]', 'theme = "light"', 'interval = 0.5', '[keys]', 'log = "%"');
  expect(
    run('context', 'add', 'older', '--url', cluster.url, '--password-file', path.join(home, 'password')).status,
  ).toBe(0);
  expect(run('context', 'add', 'newer', '--url', newer.url, '--password-file', password).status).toBe(0);
  expect(run('context', 'test')).toMatchObject({ status: 0, stdout: expect.stringMatching(/ok +API[^]*ok +API/u) });
  const terminal = open({
    command: process.execPath,
    args: [builtProgram, '--all'],
    cols: 120,
    checkTty: true,
    env: { HOME: home, XDG_CONFIG_HOME: undefined },
  });
  await terminal.waitFor('2 of 2 reachable');
  const ports = {
    management: Number(new URL(newer.url).port),
    mqtt: newer.mqttPorts[0] ?? 0,
    webSocket: newer.wsPorts[0] ?? 0,
  };
  await newer.stop();
  // Worst first.
  await terminal.waitFor(/^.newer +! not reachable[^]*^.older .* 1\/ *1 /mu);
  expect(run('context', 'test', 'newer')).toMatchObject({
    status: 1,
    stdout: expect.stringMatching(/failed +TCP .*connection refused/u),
  });
  newer = await start(ports);
  await terminal.waitFor('2 of 2 reachable', { timeoutMs: 60_000 });
  await terminal.waitFor(/^.newer .* 1\/ *1 /mu);
  terminal.type('/newer\r');
  await terminal.waitFor(/^▸newer/mu);
  terminal.press('enter');
  await terminal.waitFor(
    (session) =>
      session.text().includes(`newer`) && session.text().includes('1/1 nodes') && /1 ?Overview/u.test(session.text()),
  );
  terminal.press('%');
  await terminal.waitFor(/^ Timeline/mu);
  terminal.press('ctrl-c');
  const exit = await terminal.exited;
  expect(exit).toMatchObject({ code: 0 });
  expectRestored(terminal, exit);
});

test('all clusters need contexts, and a screen', () => {
  write('');
  expect(run('--all').status).toBe(2);
  write(...contexts());
  expect(run('--all', '--once')).toMatchObject({
    status: 2,
    stderr: 'brokertop: --all and --once cannot be used together.\n',
  });
});
