import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createHttpApi, openHttpApi } from '../../../src/api/dialects/index.ts';
import { brokerTexts } from '../../../src/cli/commands/broker.ts';
import { isBrokerReport } from '../../../src/cli/commands/demo.ts';
import { fileTexts } from '../../../src/cli/texts.ts';
import { entry, message, type Program, startProgram } from './program.ts';

const anyPorts = ['--port', '0', '--mqtt-port', '0', '--ws-port', '0'];
const programs: Program[] = [];
let folder: string;

function start(...args: readonly string[]): Program {
  const program = startProgram('broker', ...args);
  programs.push(program);
  return program;
}

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'brokertop-'));
});
afterEach(async () => {
  for (const { child } of programs) child.kill('SIGKILL');
  await Promise.all(programs.splice(0).map(({ exited }) => exited));
  await rm(folder, { recursive: true });
});

/** Whether the pair opens the management interface. */
async function opens(url: string, user: string, password: string): Promise<boolean> {
  const api = createHttpApi({ url, user, password, variant: 'b' });
  try {
    return (await api.listNodes()).length > 0;
  } catch {
    return false;
  } finally {
    await api.close();
  }
}

/** The code of the error of a connection attempt, `undefined` if it succeeds. */
async function connectionError(port: number): Promise<string | undefined> {
  const socket = connect({ host: '127.0.0.1', port });
  try {
    await once(socket, 'connect');
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  } finally {
    socket.destroy();
  }
}

it('serves API v5 on request, with a key for scripts', async () => {
  const program = start(...anyPorts, '--nodes', '1', '--api', 'v5');
  const report = await message(program.child, isBrokerReport);
  await program.printed('curl');
  const { stdout } = program.output;
  const [, key = '', secret = ''] = /^API key +(\S+) .*\n^secret +(\S+) /mu.exec(stdout) ?? [];
  expect(stdout.split('\n').slice(1)).toEqual([
    brokerTexts.management(`${report.url}/api/v5`, undefined),
    brokerTexts.inMemory,
    brokerTexts.user('admin'),
    brokerTexts.randomPassword(report.password),
    brokerTexts.apiKey(key),
    brokerTexts.apiSecret(secret),
    brokerTexts.tryIt(key, `${report.url}/api/v5/nodes`),
    '',
  ]);
  expect(report).toMatchObject({ api: 'v5', user: 'admin' });
  for (const [user, password, hasUsers] of [
    [key, secret, false],
    ['admin', report.password, true],
  ] as const) {
    const api = openHttpApi({ url: report.url, user, password });
    try {
      expect((await api.listNodes()).map(({ name }) => name)).toEqual(['broker1@127.0.0.1']);
      expect(api.capabilities?.users).toBe(hasUsers);
    } finally {
      await api.close();
    }
  }
});

it('behaves as a real release by its profile, with an address of the API for each node', async () => {
  const program = start(...anyPorts, '--nodes', '2', '--profile', 'emqx-5.0', '--fault', 'listener-down');
  const report = await message(program.child, isBrokerReport);
  await program.printed('curl');
  expect(report.urls).toHaveLength(2);
  for (const url of report.urls)
    expect(program.output.stdout).toContain(brokerTexts.management(`${url}/api/v5`, undefined));
  const api = openHttpApi({ url: report.urls[1] ?? '', user: 'admin', password: report.password });
  try {
    expect((await api.listNodes()).map(({ version }) => version)).toEqual(['5.0.26', '5.0.26']);
    expect(
      [...(await api.listListeners())].map(([, listeners]) => listeners.find(({ id }) => id === 'ws:default')?.running),
    ).toEqual(['yes', 'no']);
  } finally {
    await api.close();
  }
});

it('prints its addresses and a random password once, and reports them to its parent', async () => {
  const program = start(...anyPorts, '--nodes', '2', '--user', 'root');
  const report = await message(program.child, isBrokerReport);
  await program.printed('curl');
  const { stdout } = program.output;
  expect(stdout.split('\n')).toEqual([
    brokerTexts.node('broker1@127.0.0.1', `127.0.0.1:${report.mqttPorts[0]}`, `127.0.0.1:${report.wsPorts[0]}`),
    brokerTexts.node('broker2@127.0.0.1', `127.0.0.1:${report.mqttPorts[1]}`, `127.0.0.1:${report.wsPorts[1]}`),
    brokerTexts.management(`${report.url}/api/v2`, 'b'),
    brokerTexts.inMemory,
    brokerTexts.user('root'),
    brokerTexts.randomPassword(report.password),
    brokerTexts.tryIt('root', `${report.url}/api/v2/management/nodes`),
    '',
  ]);
  const { password } = report;
  expect(stdout.split(password)).toHaveLength(2);
  expect(password.length).toBeGreaterThanOrEqual(20);
  expect(report).toMatchObject({ variant: 'b', user: 'root', nodes: ['broker1@127.0.0.1', 'broker2@127.0.0.1'] });
  expect(await opens(report.url, 'root', password)).toBe(true);
  expect(await opens(report.url, 'root', 'other')).toBe(false);
});

it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('ends with 0 on %s, also with clients on it', async (signal) => {
  const program = start(...anyPorts, '--nodes', '1');
  const { mqttPorts } = await message(program.child, isBrokerReport);
  const socket = connect({ host: '127.0.0.1', port: mqttPorts[0] ?? 0 });
  await once(socket, 'connect');
  program.child.kill(signal);
  expect(await program.exited).toEqual({ code: 0, signal: null });
  expect(program.output.stderr).toBe('');
  socket.destroy();
});

it('logs to stderr at the configured level', async () => {
  const program = start(...anyPorts, '--nodes', '1');
  const { url, user, password, mqttPorts } = await message(program.child, isBrokerReport);
  const sendNonsense = async (): Promise<void> => {
    const socket = connect({ host: '127.0.0.1', port: mqttPorts[0] ?? 0 });
    socket.on('error', () => undefined).resume();
    socket.write('nonsense');
    await once(socket, 'close');
  };
  await sendNonsense();
  const api = createHttpApi({ url, user, password, variant: 'b' });
  await api.changeSetting(undefined, { app: 'broker', key: 'log.console.level', value: 'warning' });
  await api.close();
  await sendNonsense();
  program.child.kill('SIGTERM');
  expect(await program.exited).toEqual({ code: 0, signal: null });
  expect(program.output.stderr).toMatch(
    /^\S+Z warning broker1@127\.0\.0\.1 a connection from 127\.0\.0\.1 port \d+ was rejected: protocol-violation\n$/u,
  );
});

it('ends when its parent disconnects', async () => {
  const program = start(...anyPorts, '--nodes', '1');
  await message(program.child, isBrokerReport);
  program.child.disconnect();
  expect(await program.exited).toEqual({ code: 0, signal: null });
});

it('ends when its parent is killed', async () => {
  const parent = fork(fileURLToPath(new URL('parent.mjs', import.meta.url)), [entry, 'broker', ...anyPorts], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const { mqttPorts } = await message(parent, isBrokerReport);
  const socket = connect({ host: '127.0.0.1', port: mqttPorts[0] ?? 0 });
  await once(socket, 'connect');
  // A reset is an end, too: `once` would reject.
  const closed = new Promise((resolve) => {
    socket.once('close', resolve);
  });
  socket.on('error', () => undefined).resume();
  parent.kill('SIGKILL');
  await closed;
  // Connections and the port are closed in no fixed order.
  await expect.poll(() => connectionError(mqttPorts[0] ?? 0), { timeout: 30_000 }).toBe('ECONNREFUSED');
});

it('reads the password from a file, and does not print it', async () => {
  const file = path.join(folder, 'password');
  await writeFile(file, 'from the file\n', { mode: 0o600 });
  const program = start(...anyPorts, '--variant', 'a', '--password-file', file);
  const report = await message(program.child, isBrokerReport);
  await program.printed('curl');
  expect(program.output.stdout).not.toContain('from the file');
  expect(program.output.stdout).toContain(`password    from ${JSON.stringify(file)}`);
  expect(program.output.stdout).toContain(brokerTexts.management(`${report.url}/api/v2`, 'a'));
  expect(await opens(report.url, 'admin', 'from the file')).toBe(true);
});

it('rejects a password file that others can read', async () => {
  const file = path.join(folder, 'password');
  await writeFile(file, 'from the file\n');
  await chmod(file, 0o640);
  const program = start(...anyPorts, '--password-file', file);
  expect(await program.exited).toEqual({ code: 2, signal: null });
  expect(program.output.stderr).toBe(`brokertop: ${fileTexts.openToOthers(`The password file "${file}"`, file)}\n`);
  expect(program.output.stderr).not.toContain('from the file');
  expect(program.output.stdout).toBe('');
});

it('points to --host when the address is not of this machine', async () => {
  const program = start('--nodes', '1', ...anyPorts, '--host', '192.0.2.1');
  expect(await program.exited).toEqual({ code: 1, signal: null });
  expect(program.output.stderr).toBe(`brokertop: ${brokerTexts.badAddress('192.0.2.1', 'EADDRNOTAVAIL')}\n`);
});

it.each([
  ['--port', 'mqtt:api'],
  ['--mqtt-port', 'mqtt:tcp'],
  ['--ws-port', 'mqtt:ws'],
])('prints one sentence when the port of %s is in use', async (flag, protocol) => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const others = ['--port', '--mqtt-port', '--ws-port']
    .filter((other) => other !== flag)
    .flatMap((other) => [other, '0']);
  const program = start('--nodes', '1', flag, String(port), ...others);
  expect(await program.exited).toEqual({ code: 1, signal: null });
  expect(program.output.stderr).toBe(
    `brokertop: ${brokerTexts.cannotListen('127.0.0.1', port, protocol, 'EADDRINUSE', flag)}\n`,
  );
  expect(program.output.stdout).toBe('');
  taken.close();
});
