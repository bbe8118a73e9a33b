import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { version } from '../../src/version.ts';
import { type BuiltCluster, builtProgram, startBuiltCluster } from '../support/built-cluster.ts';
import { closeTerminalsAtEnd, connectQuietClients, open, type QuietClients, run } from './support.ts';

const hostileId = 'red\u001b[31m\u202e';

closeTerminalsAtEnd();

let cluster: BuiltCluster;
let quiet: QuietClients;

beforeAll(async () => {
  cluster = await startBuiltCluster({ nodes: 2 });
  quiet = await connectQuietClients(cluster.mqttPorts, ['one', 'two', 'three', hostileId]);
}, 180_000);

afterAll(async () => {
  await quiet?.end();
  await cluster?.stop();
});

const target = (): string[] => ['--url', cluster.url];
const needsTerminal = `brokertop: A terminal is required. In scripts, use brokertop --once.`;

describe.concurrent('without a terminal the monitor says so in one line without escape codes', () => {
  test('with pipes on all three streams', async () => {
    for (const args of [target(), ['demo']]) {
      expect(await run(args, cluster.monitor.env)).toEqual({ code: 2, stdout: '', stderr: `${needsTerminal}\n` });
    }
  });

  test.each(['</dev/null', '| cat; exit "${PIPESTATUS[0]}"', '>"$FILE"'])(
    'in a shell: brokertop %s',
    async (redirection) => {
      const folder = await mkdtemp(path.join(tmpdir(), 'brokertop-'));
      const file = path.join(folder, 'output');
      const output: Uint8Array[] = [];
      try {
        const terminal = open({
          command: 'bash',
          args: ['-c', `"$@" ${redirection}`, 'bash', process.execPath, ...cluster.monitor.args],
          env: { ...cluster.monitor.env, FILE: file },
          cols: 120,
          onOutput: (bytes) => output.push(bytes),
        });
        const { code } = await terminal.exited;
        expect(code).toBe(2);
        expect(Buffer.concat(output).toString('latin1')).toBe(`${needsTerminal}\r\n`);
        expect(await readFile(file, 'utf8').catch(() => '')).toBe('');
      } finally {
        await rm(folder, { recursive: true });
      }
    },
  );
});

describe.concurrent('--once', () => {
  test('prints a summary without an escape code', async () => {
    const { code, stdout, stderr } = await run([...target(), '--once'], cluster.monitor.env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('broker1@127.0.0.1');
    expect(stdout).toContain('broker2@127.0.0.1');
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    expect(stdout).not.toContain(cluster.password);
  });

  test('--json prints one line with one document in domain terms', async () => {
    const { code, stdout, stderr } = await run([...target(), '--once', '--json'], cluster.monitor.env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n')).toHaveLength(2);
    expect(stdout).toMatch(/^[ -~]*\n$/);
    const document: unknown = JSON.parse(stdout);
    expect(document).toMatchObject({
      url: cluster.url,
      variant: 'b',
      clients: { total: 4, byNode: { 'broker1@127.0.0.1': 2, 'broker2@127.0.0.1': 2 } },
      errors: [],
    });
    expect(Object.keys(document as object)).toEqual([
      'takenAt',
      'url',
      'variant',
      'problems',
      'ok',
      'notChecked',
      'nodes',
      'listeners',
      'metrics',
      'ratesPerSecond',
      'stats',
      'clients',
      'errors',
    ]);
  });

  test('a closed pipe is not an error', async () => {
    const terminal = open({
      command: 'bash',
      args: [
        '-c',
        '"$@" --once | head -1; echo "codes ${PIPESTATUS[*]}"',
        'bash',
        process.execPath,
        ...cluster.monitor.args,
      ],
      env: cluster.monitor.env,
      cols: 120,
    });
    await terminal.exited;
    expect(terminal.text()).toContain('codes 0 0');
  });

  test.runIf(existsSync('/dev/full'))('a full disk is an error with a message', async () => {
    const terminal = open({
      command: 'bash',
      args: [
        '-c',
        'for json in "" --json; do "$@" --once $json >/dev/full; echo "code $?"; done',
        'bash',
        process.execPath,
        ...cluster.monitor.args,
      ],
      env: cluster.monitor.env,
      cols: 120,
    });
    await terminal.exited;
    expect(terminal.text().split('brokertop: Writing to standard output failed (disk full).\ncode 1')).toHaveLength(3);
  });

  test('a wrong password and a refused connection exit with 1 and the reason', async () => {
    const wrong = await run([...target(), '--once'], { BROKERTOP_PASSWORD: 'no' });
    expect(wrong).toMatchObject({ code: 1, stdout: '' });
    expect(wrong.stderr).toBe(`brokertop: ${cluster.url}: The broker rejected the username or password (401).\n`);
    // The discard port of this machine: nobody listens.
    const nobody = await run(['--url', 'http://127.0.0.1:9', '--once'], { BROKERTOP_PASSWORD: 'no' });
    expect(nobody).toMatchObject({ code: 1, stdout: '' });
    expect(nobody.stderr).toBe(
      'brokertop: http://127.0.0.1:9: Cannot connect to the management API (connection refused). Check the URL and that the broker is running.\n',
    );
  });

  test('needs a password', async () => {
    const { code, stdout, stderr } = await run([...target(), '--once']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(
      `brokertop: No terminal to prompt for the password. Use --password-file, --password-command or BROKERTOP_PASSWORD.\n`,
    );
  });
});

describe.concurrent('the command line', () => {
  test.each<[readonly string[], string | RegExp]>([
    [['--no-such-flag'], 'Unknown flag "--no-such-flag". See brokertop --help.'],
    [['no-such-command'], 'Unknown command "no-such-command". See brokertop --help.'],
    [['--interval', '0.1'], '--interval must be a number from 0.5 to 60.'],
    [['--url', 'ftp://127.0.0.1'], 'must start with http:// or https://'],
    [
      ['--url', 'http://admin:secret@127.0.0.1'],
      'must not contain a username or password (use user and password-file)',
    ],
    [
      ['--url', 'http://192.0.2.1:8080'],
      'http:// to another machine sends the password unencrypted. Use https:// or an SSH tunnel, or add --insecure-http.',
    ],
    [['--json'], '--json requires --once.'],
    [['--interval'], '--interval requires a value. See brokertop --help.'],
    [['demo', '--nodes', '17'], '--nodes must be a whole number from 1 to 16.'],
  ])('%j is wrong, and said in one sentence', async (args, sentence) => {
    const { code, stdout, stderr } = await run(args, cluster.monitor.env);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(sentence);
    expect(stderr).toMatch(/^brokertop: [^\n]+\.\n$/);
    expect(stderr).not.toContain('secret');
  });

  test('--help and --version print and exit with 0', async () => {
    expect(await run(['--version'])).toEqual({ code: 0, stdout: `brokertop ${version}\n`, stderr: '' });
    const help = await run(['--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    for (const word of ['Usage: brokertop', '--url URL', '--once', 'demo', 'Exit codes:'])
      expect(help.stdout).toContain(word);
    expect((await run(['demo', '-h'])).stdout).toContain('--clients N');
    expect(help.stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});

test('SIGUSR1 opens no debugger, which could read the memory', async () => {
  const child = spawn(
    process.execPath,
    [builtProgram, 'broker', '--nodes', '1', '--port', '0', '--mqtt-port', '0', '--ws-port', '0'],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const said = text(child.stderr);
  const ended = once(child, 'exit');
  let printed = '';
  child.stdout.on('data', (piece: Buffer) => {
    printed += String(piece);
  });
  while (!printed.includes('/api/v2')) await once(child.stdout, 'data');
  child.kill('SIGUSR1');
  // Enough time for a debugger to print its address.
  const url = /http:\S+\/api\/v2/u.exec(printed)?.[0] ?? '';
  for (let count = 0; count < 20; count += 1) expect((await fetch(url)).status).toBe(401);
  child.kill('SIGTERM');
  await ended;
  expect(await said).toBe('');
});
