import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBuiltCluster } from '../support/built-cluster.ts';
import type { BuiltCluster } from '../support/built-cluster.ts';
import { privateKey, startTlsFront, tlsFile } from '../support/tls-front.ts';
import type { TlsFront } from '../support/tls-front.ts';
import { closeTerminalsAtEnd, openMonitor, openReadyMonitor, rowsOf, run, targetOf, waitForFrame } from './support.ts';
import type { Ran } from './support.ts';

closeTerminalsAtEnd();

let cluster: BuiltCluster;
let front: TlsFront;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'brokertop-tls-'));
  await writeFile(path.join(folder, 'client.key'), privateKey('client'), { mode: 0o600 });
  cluster = await startBuiltCluster({ nodes: 1 });
  front = await startTlsFront(Number(new URL(cluster.url).port), { asksClients: true });
}, 60_000);

afterAll(async () => {
  await front?.close();
  await cluster?.stop();
  await rm(folder, { recursive: true });
});

const once = (...flags: readonly string[]): Promise<Ran> => run(['--once', '--url', front.url, ...flags], { BROKERTOP_PASSWORD: cluster.password });
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
    expect(stdout.split('\n')[0]).toMatch(/variant B {2}TLS NOT VERIFIED$/u);
  });

  test('without anything it trusts nobody, and says what to do', async () => {
    const { code, stdout, stderr } = await once();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^brokertop: Certificate of an unknown authority: [^\n]*with --ca FILE[^\n]*\n$/u);
  });

  test('what is wrong with a file is said before anything is asked or sent', async () => {
    const { code, stdout, stderr } = await once('--ca', path.join(folder, 'client.key'));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^brokertop: The --ca file "[^\n]*" holds no certificate in PEM form [^\n]*\n$/u);
  });

  test.each<[string, () => string[], boolean]>([
    ['--ca', () => ['--ca', tlsFile('ca.pem')], false],
    ['--insecure-tls', () => ['--insecure-tls'], true],
  ])('the monitor with %s says in every screen whether certificates are checked', async (_, flags, isUnchecked) => {
    const terminal = await openReadyMonitor(targetOf(front.url, cluster.password), { args: [...flags(), ...ownFlags()], env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } });
    for (const key of ['2', '9'] as const) {
      terminal.press(key);
      await waitForFrame(terminal);
      expect(rowsOf(terminal)[0]?.includes('TLS NOT VERIFIED')).toBe(isUnchecked);
    }
    // Node's own warning about its environment would be in the middle of it.
    expect(terminal.text()).not.toContain('Warning');
  });

  test('the monitor names what is wrong where there is little room, too', async () => {
    const terminal = openMonitor(targetOf(front.url, cluster.password));
    await terminal.waitFor(/! [\w ]+: certificate of an unknown authority/u);
  });
});
