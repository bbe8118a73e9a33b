import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fileTexts, passwordTexts } from '../../src/cli/texts.ts';
import { type BuiltCluster, builtProgram, startBuiltCluster } from '../support/built-cluster.ts';
import { privateKey, startTlsFront, tlsFile, type TlsFront } from '../support/tls-front.ts';
import {
  closeTerminalsAtEnd,
  open,
  openMonitor,
  openReadyMonitor,
  type Ran,
  rowsOf,
  run,
  targetOf,
  waitForFrame,
} from './support.ts';

closeTerminalsAtEnd();

let cluster: BuiltCluster;
let front: TlsFront;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'brokertop-tls-'));
  await writeFile(path.join(folder, 'client.key'), privateKey('client'), { mode: 0o600 });
  cluster = await startBuiltCluster({ nodes: 1 });
  front = await startTlsFront(Number(new URL(cluster.url).port), { asksClients: true });
}, 180_000);

afterAll(async () => {
  await front?.close();
  await cluster?.stop();
  await rm(folder, { recursive: true });
});

const once = (...flags: readonly string[]): Promise<Ran> =>
  run(['--once', '--url', front.url, ...flags], { BROKERTOP_PASSWORD: cluster.password });
const ownFlags = (): string[] => ['--cert', tlsFile('client.pem'), '--key', path.join(folder, 'client.key')];

describe.concurrent('the program over TLS', () => {
  test('with --ca, --cert and --key', async () => {
    const { code, stdout, stderr } = await once('--ca', tlsFile('ca.pem'), ...ownFlags());
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Nodes: 1 of 1 running');
    expect(stdout).not.toContain('TLS NOT VERIFIED');
  });

  test('with --insecure-tls, and it says so', async () => {
    const { code, stdout } = await once('--insecure-tls', ...ownFlags());
    expect(code).toBe(0);
    expect(stdout.split('\n')[0]).toMatch(/v2 B {2}TLS NOT VERIFIED$/u);
  });

  test('without flags it trusts no unknown authority, and says what to do', async () => {
    const { code, stdout, stderr } = await once();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('If you trust it, pass its CA certificate with --ca FILE.');
    expect(stderr).toMatch(/^[^\n]*\n$/u);
  });

  test('a bad file is reported before any prompt or request', async () => {
    const { code, stdout, stderr } = await once('--ca', path.join(folder, 'client.key'));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(
      `brokertop: ${fileTexts.noCertificate(fileTexts.source('The --ca file', path.join(folder, 'client.key')))}\n`,
    );
  });

  test.each<[string, () => string[], boolean]>([
    ['--ca', () => ['--ca', tlsFile('ca.pem')], false],
    ['--insecure-tls', () => ['--insecure-tls'], true],
  ])('the monitor with %s shows on every screen whether certificates are checked', async (_, flags, isUnchecked) => {
    const terminal = await openReadyMonitor(targetOf(front.url, cluster.password), {
      args: [...flags(), ...ownFlags()],
      env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    });
    for (const key of ['2', '9'] as const) {
      terminal.press(key);
      await waitForFrame(terminal);
      expect(rowsOf(terminal)[0]?.includes('TLS NOT VERIFIED')).toBe(isUnchecked);
    }
    terminal.resize(20, 3);
    const expected = isUnchecked ? ['too small', 'TLS NOT VERIFIED', '20x3'] : ['too small', '20x3', 'needs 60x15'];
    // Parts of the larger frame stay until the new one is painted.
    await terminal.waitFor((session) => JSON.stringify(rowsOf(session)) === JSON.stringify(expected));
    // Node's warning about its environment.
    expect(terminal.text()).not.toContain('Warning');
  });

  test('the password prompt warns if others can read the password', async () => {
    const plain = `http://localhost:${new URL(cluster.url).port}`;
    for (const [args, before] of [
      [['--url', front.url, '--ca', tlsFile('ca.pem')], ''],
      [['--url', front.url, '--insecure-tls'], 'TLS NOT VERIFIED  '],
      [['--url', plain, '--url', front.url, '--insecure-http', '--insecure-tls'], 'UNENCRYPTED  TLS NOT VERIFIED  '],
    ] as const) {
      const terminal = open({ command: process.execPath, args: [builtProgram, ...args], cols: 200 });
      await terminal.waitFor('Password for admin');
      expect(terminal.text().trim()).toBe(before + passwordTexts.prompt('admin', args[1] ?? '').trim());
      terminal.press('ctrl-c');
      await terminal.exited;
    }
  });

  test('the monitor names the certificate error at 80×24, too', async () => {
    const terminal = openMonitor(targetOf(front.url, cluster.password));
    await terminal.waitFor(new RegExp(String.raw`! [\w ]+: certificate signed by an unknown authority`, 'u'));
  });
});
