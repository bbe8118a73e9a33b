import { clientWords } from '../../src/resources/clients/texts.ts';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorTexts } from '../../src/api/texts.ts';
import { outcomeTexts } from '../../src/actions/texts.ts';
import { type BuiltCluster, builtProgram, startBuiltCluster } from '../support/built-cluster.ts';
import { type ForwardProxy, startForwardProxy } from '../support/forward-proxy.ts';
import { answer, type RawServer, startRawServer } from '../support/raw-http-server.ts';
import type { TerminalSession } from '../support/terminal.ts';
import { startTlsFront, tlsFile, type TlsFront } from '../support/tls-front.ts';
import { answerYes } from './actions/dialogs.ts';
import {
  closeTerminalsAtEnd,
  connectQuietClients,
  open,
  openMonitor,
  openPasswordPrompt,
  type QuietClients,
  run,
  targetOf,
  waitForCursor,
  waitForFrame,
} from './support.ts';
import { cancelButton } from '../support/texts.ts';

closeTerminalsAtEnd();

const fault = fileURLToPath(new URL('endings/fault.mjs', import.meta.url));
const sources = ['file', 'command', 'environment', 'prompt'] as const;
const proxyPassword = 'canary-of-the-proxy';

let cluster: BuiltCluster;
let clients: QuietClients;
let folder: string;
let passwordFile: string;
/** A broker that repeats what it was sent in every part of its answers. */
let echo: RawServer;
let proxy: ForwardProxy;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'brokertop-canary-'));
  cluster = await startBuiltCluster({ nodes: 1 });
  clients = await connectQuietClients(
    cluster.mqttPorts,
    sources.map((source) => `victim-${source}`),
  );
  passwordFile = path.join(folder, 'password');
  await writeFile(passwordFile, `${cluster.password}\n`, { mode: 0o600 });
  echo = await startRawServer(({ headers, path: asked }) => {
    const login = `${headers.get('authorization')} ${cluster.password}`;
    // The reason of a refusal is shown, too.
    if (asked.endsWith('/metrics')) return answer(200, JSON.stringify({ code: 102, message: login }));
    if (asked.endsWith('/stats')) return answer(302, login, { location: `http://${login}` });
    return Buffer.concat([
      Buffer.from(`HTTP/1.1 500 ${login}\r\n`),
      answer(500, login, { 'x-login': login }).subarray('HTTP/1.1 500 Status\r\n'.length),
    ]);
  });
  proxy = await startForwardProxy({ targetPort: Number(new URL(cluster.url).port), login: `me:${proxyPassword}` });
}, 180_000);

afterAll(async () => {
  await clients?.end();
  await cluster?.stop();
  await echo?.close();
  await proxy?.close();
  await rm(folder, { recursive: true });
});

/** The cluster behind TLS, and a proxy to it. */
async function startTunnel(): Promise<readonly [TlsFront, ForwardProxy]> {
  const front = await startTlsFront(Number(new URL(cluster.url).port));
  return [front, await startForwardProxy({ targetPort: front.port, login: `me:${proxyPassword}` })];
}

/** The password, and its forms on the wire and in URLs. */
function forms(secret: string, user = 'admin'): string[] {
  const login = Buffer.from(`${user}:${secret}`).toString('base64');
  return [
    secret,
    login,
    login.replace(/=+$/u, ''),
    Buffer.from(secret).toString('base64').replace(/=+$/u, ''),
    encodeURIComponent(secret),
  ];
}

function expectNoTrace(text: string, secrets: readonly string[] = forms(cluster.password)): void {
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
}

/** The command line of a process and its environment at its start, from /proc. */
async function processTexts(pid: number): Promise<{ readonly commandLine: string; readonly environment: string }> {
  const [commandLine, environment] = await Promise.all(
    ['cmdline', 'environ'].map((name) => readFile(`/proc/${pid}/${name}`, 'latin1').catch(() => '')),
  );
  return { commandLine: commandLine ?? '', environment: environment ?? '' };
}

/** The contents of all files in a folder and below. */
async function filesIn(root: string): Promise<string> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const texts = entries
    .filter((entry) => entry.isFile())
    .map((entry) => readFile(path.join(entry.parentPath, entry.name), 'latin1'));
  return [...entries.map(({ name }) => name), ...(await Promise.all(texts))].join('\n');
}

/** Goes through the screens and disconnects a client. */
async function useIt(terminal: TerminalSession, victim: string): Promise<void> {
  await waitForFrame(terminal, (session) => session.text().includes('1/1 nodes'));
  for (const key of ['T', 'L', '@', '4'] as const) {
    terminal.press(key);
    await waitForFrame(terminal);
  }
  terminal.press('/');
  await waitForFrame(terminal);
  terminal.type(victim);
  await waitForFrame(terminal, (session) => session.text().includes('showing 1 of'));
  terminal.press('enter');
  await waitForCursor(terminal, victim);
  terminal.press('K');
  await terminal.waitFor(
    (session) => session.text().includes('Disconnect this client?') && session.text().includes(cancelButton),
  );
  await answerYes(terminal);
  const outcome = outcomeTexts.done(clientWords.disconnect(victim));
  await terminal.waitFor(outcome);
  terminal.press('enter');
  // A q in the dialog would only close it.
  await waitForFrame(terminal, (session) => !session.text().includes(outcome));
}

describe.concurrent('the password is only where it was given', () => {
  test.each(sources)('given by %s: not in processes, screen or audit log', async (source) => {
    const state = await mkdtemp(path.join(folder, 'state-'));
    const output: Uint8Array[] = [];
    const dump = path.join(folder, `environment-of-the-command`);
    const command = `tr '\\0' '\\n' </proc/self/environ >${dump}; cat ${passwordFile}`;
    const flags = {
      file: ['--password-file', passwordFile],
      command: ['--password-command', command],
      environment: [],
      prompt: [],
    }[source];
    // The variable is set, too: the password command must not get it.
    const isInEnvironment = source === 'environment' || source === 'command';
    const terminal = open({
      command: process.execPath,
      args: [builtProgram, '--url', cluster.url, '--interval', '0.5', ...flags],
      env: { XDG_STATE_HOME: state, ...(isInEnvironment && { BROKERTOP_PASSWORD: cluster.password }) },
      onOutput: (bytes) => output.push(bytes),
    });
    if (source === 'prompt') {
      await terminal.waitFor('Password for admin');
      terminal.type(`${cluster.password}\r`);
    }
    await useIt(terminal, `victim-${source}`);
    const processes = await Promise.all(terminal.processes().map(({ pid }) => processTexts(pid)));
    // The program and its terminal guard.
    expect(processes).toHaveLength(process.platform === 'linux' ? 2 : 0);
    for (const { commandLine } of processes) expectNoTrace(commandLine);
    // A process cannot change its environment in /proc, which only its user can read. The guard inherits nothing.
    const environments = processes.map(({ environment }) => environment).join('');
    expectNoTrace(environments.replace(isInEnvironment ? `BROKERTOP_PASSWORD=${cluster.password}` : 'nothing', ''));
    terminal.press('q');
    expect(await terminal.exited).toMatchObject({ code: 0 });
    expectNoTrace(Buffer.concat(output).toString('latin1'));
    const kept = await filesIn(state);
    expect(kept).toContain(`victim-${source}`);
    expectNoTrace(kept);
    const commandEnvironment = source === 'command' ? await readFile(dump, 'utf8') : '';
    expect(commandEnvironment.includes('XDG_STATE_HOME')).toBe(source === 'command');
    expectNoTrace(commandEnvironment);
  });

  test('a broker repeats it in answers, reasons, headers and redirects', async () => {
    const output: Uint8Array[] = [];
    const state = await mkdtemp(path.join(folder, 'state-'));
    const terminal = openMonitor(targetOf(echo.url, cluster.password), {
      onOutput: (bytes) => output.push(bytes),
      env: { XDG_STATE_HOME: state },
      args: ['--interval', '0.5', '--variant', 'b'],
    });
    await terminal.waitFor('HTTP 500');
    for (const key of ['9', 'T', 'L', '@', '4', '8', '3'] as const) {
      const before = echo.requests.length;
      terminal.press(key);
      await terminal.waitFor(() => key === 'L' || key === 'T' || echo.requests.length > before);
      await waitForFrame(terminal);
    }
    terminal.press('q');
    await terminal.exited;
    expectNoTrace(Buffer.concat(output).toString('latin1'));
    expectNoTrace(await filesIn(state));
  });

  test('a broker rejects it, the right one is entered, and an error quotes both', async () => {
    const canary = 'canary-that-is-wrong';
    const output: Uint8Array[] = [];
    const state = await mkdtemp(path.join(folder, 'state-'));
    const leak = `leaked ${[canary, cluster.password].flatMap((secret) => forms(secret).slice(0, 2)).join(' ')}`;
    const terminal = openMonitor(targetOf(cluster.url, canary), {
      onOutput: (bytes) => output.push(bytes),
      env: { XDG_STATE_HOME: state, NODE_OPTIONS: `--import=${fault}`, FAULT: 'leak', LEAK: leak },
    });
    await openPasswordPrompt(terminal);
    terminal.type(cluster.password);
    terminal.press('enter');
    await waitForFrame(terminal, (session) => session.text().includes('1/1 nodes'));
    terminal.signal('SIGUSR2');
    expect(await terminal.exited).toMatchObject({ code: 1 });
    const kept = await filesIn(state);
    expect(kept).toContain('leaked (hidden) (hidden) (hidden) (hidden)');
    expectNoTrace(Buffer.concat(output).toString('latin1') + kept, [...forms(canary), ...forms(cluster.password)]);
  });

  test.each(['exception', 'rejection', 'leak'])('internal error: %s', async (kind) => {
    const output: Uint8Array[] = [];
    const state = await mkdtemp(path.join(folder, 'state-'));
    const terminal = openMonitor(cluster.monitor, {
      onOutput: (bytes) => output.push(bytes),
      env: {
        XDG_STATE_HOME: state,
        NODE_OPTIONS: `--import=${fault}`,
        FAULT: kind,
        LEAK: `leaked ${forms(cluster.password).slice(0, 2).join(' ')}`,
      },
    });
    await waitForFrame(terminal, (session) => session.text().includes('1/1 nodes'));
    terminal.signal('SIGUSR2');
    expect(await terminal.exited).toMatchObject({ code: 1 });
    expect(terminal.text()).toContain('internal error');
    const kept = await filesIn(state);
    expect(kept).toMatch(/^crash-\d+T\d+Z-\d+\.txt$/mu);
    expect(kept).toContain(kind === 'leak' ? 'leaked (hidden) (hidden)' : 'Error: fault ');
    expectNoTrace(Buffer.concat(output).toString('latin1') + kept);
  });

  test('--once, successful or not', async () => {
    const env = { BROKERTOP_PASSWORD: cluster.password };
    const runs = await Promise.all([
      run(['--once', '--url', cluster.url], env),
      run(['--once', '--json', '--url', cluster.url, '--password-file', passwordFile]),
      run(['--once', '--json', '--url', echo.url], env),
      run(['--once', '--url', echo.url, '--variant', 'b'], env),
      run(['--once', '--url', cluster.url, '--user', 'somebody'], env),
      run(['--once', '--url', `http://admin:${cluster.password}@127.0.0.1`], env),
    ]);
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 1, 1, 1, 2]);
    for (const { stdout, stderr } of runs)
      expectNoTrace(stdout + stderr, [...forms(cluster.password), ...forms(cluster.password, 'somebody')]);
  });

  test('a proxy with its own password', async () => {
    const env = {
      BROKERTOP_PASSWORD: cluster.password,
      http_proxy: `http://me:${proxyPassword}@127.0.0.1:${proxy.port}`,
    };
    const target = ['--once', '--insecure-http', '--url', 'http://broker.test:8080'];
    const secrets = [...forms(cluster.password), ...forms(proxyPassword, 'me')];
    const [served, excepted, refused, wrong] = await Promise.all([
      run(target, env),
      run(target, { ...env, no_proxy: 'broker.test' }),
      run(target, { ...env, http_proxy: `http://you:${proxyPassword}@127.0.0.1:${proxy.port}` }),
      run(target, { ...env, http_proxy: `socks5://me:${proxyPassword}@127.0.0.1` }),
    ]);
    expect(served).toMatchObject({ code: 0, stderr: '' });
    expect(served.stdout).toMatch(/^http:\/\/broker\.test:8080 .* UNENCRYPTED\n/u);
    expect(
      ['unknown host', 'DNS lookup failed']
        .map(
          (reason) => `Cannot connect to the management API (${reason}). Check the URL and that the broker is running.`,
        )
        .concat('The broker did not respond within 5 s. It may be overloaded, or a node may be hung.')
        .some((text) => excepted.stderr.includes(text)),
    ).toBe(true);
    expect(refused.stderr).toContain(errorTexts.proxyLogin(`http://127.0.0.1:${proxy.port}`, 'http_proxy', true));
    expect(wrong).toMatchObject({
      code: 2,
      stderr:
        'brokertop: http_proxy has an unsupported scheme: use http:// or https://, or exclude the broker with NO_PROXY.\n',
    });
    for (const { stdout, stderr } of [served, excepted, refused, wrong])
      expectNoTrace(stdout + stderr, [...secrets, ...forms(proxyPassword, 'you')]);
  });

  test('a proxy for https, which learns only the address', async () => {
    const secrets = [...forms(cluster.password), ...forms(proxyPassword, 'me')];
    const [front, tunnel] = await startTunnel();
    try {
      const target = ['--once', '--url', 'https://broker.test:8443', '--ca', tlsFile('ca.pem')];
      const env = {
        BROKERTOP_PASSWORD: cluster.password,
        https_proxy: `http://me:${proxyPassword}@127.0.0.1:${tunnel.port}`,
      };
      const [served, refused] = await Promise.all([
        run(target, env),
        run(target, { ...env, https_proxy: `http://you:${proxyPassword}@127.0.0.1:${tunnel.port}` }),
      ]);
      expect(served).toMatchObject({ code: 0, stderr: '' });
      expect(served.stdout).toMatch(/^https:\/\/broker\.test:8443 /u);
      expect(front.received.bytes).toBeGreaterThan(0);
      expect(refused.stderr).toContain(errorTexts.proxyLogin(`http://127.0.0.1:${tunnel.port}`, 'https_proxy', true));
      const rejected = `Basic ${Buffer.from(`you:${proxyPassword}`).toString('base64')}`;
      expect(tunnel.requests.filter(({ headers }) => headers['proxy-authorization'] === rejected)).toHaveLength(1);
      expect(new Set(tunnel.requests.map(({ method, target: asked }) => `${method} ${asked}`))).toEqual(
        new Set(['CONNECT broker.test:8443']),
      );
      expectNoTrace(JSON.stringify(tunnel.requests), forms(cluster.password));
      for (const { stdout, stderr } of [served, refused])
        expectNoTrace(stdout + stderr, [...secrets, ...forms(proxyPassword, 'you')]);
    } finally {
      await tunnel.close();
      await front.close();
    }
  });

  test('child processes of the demo do not inherit it', async () => {
    const canary = 'canary-for-nobody';
    const terminal = open({
      command: process.execPath,
      args: [builtProgram, 'demo', '--nodes', '1', '--clients', '1'],
      env: { BROKERTOP_PASSWORD: canary, XDG_STATE_HOME: folder },
    });
    await waitForFrame(terminal, (session) => session.text().includes('1/1 nodes') && session.processes().length === 4);
    const texts = await Promise.all(terminal.processes().map(({ pid }) => processTexts(pid)));
    // Its own environment in /proc cannot change. Its children get all but the password.
    expect(texts.filter(({ environment }) => environment.includes('XDG_STATE_HOME'))).toHaveLength(4);
    expect(texts.filter(({ environment }) => environment.includes(canary))).toHaveLength(1);
    for (const { commandLine } of texts) expectNoTrace(commandLine, forms(canary));
    terminal.press('ctrl-c');
    await terminal.exited;
  });
});
