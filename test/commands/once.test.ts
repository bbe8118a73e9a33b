import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runOnce, snapshotJson } from '../../src/commands/once.tsx';
import { snapshotText } from '../../src/commands/once-text.tsx';
import { metricNames } from '../../src/domain/metric.ts';
import type { Snapshot } from '../../src/store/once.ts';
import { createTheme } from '../../src/ui/theme.ts';
import { password, startChain, variants, type Chain } from '../contract/support.ts';

/** Runs the command and gives what it printed. */
async function once(url: string, format: 'text' | 'json', secret = password, otherUrls: readonly string[] = []): Promise<{ code: number; stdout: string; stderr: string }> {
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  const session = { url, otherUrls, user: 'admin', password: secret, variant: 'auto', intervalSeconds: 2, isReadOnly: false, hasAudit: true, isInsecure: false } as const;
  const code = await runOnce(session, format, { ...streams, env: { TERM: 'dumb' } });
  const read = (stream: PassThrough): string => String(stream.read() ?? '');
  return { code, stdout: read(streams.stdout), stderr: read(streams.stderr) };
}

/** A port at which nobody listens. */
async function deadUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

describe.each(variants)('--once on variant %s', (variant) => {
  let chain: Chain;
  beforeAll(async () => {
    chain = await startChain(variant);
    await chain.connect('one', 0);
    await chain.connect('two\u009B31m', 1, { clean: false });
  });
  afterAll(() => chain.close());

  it('prints one JSON document in domain terms', async () => {
    const { code, stdout, stderr } = await once(chain.broker.server.url, 'json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const document: unknown = JSON.parse(stdout);
    expect(document).toMatchObject({
      url: chain.broker.server.url,
      variant,
      clients: { total: 2, byNode: { 'broker1@127.0.0.1': 1, 'broker2@127.0.0.1': 1, 'broker3@127.0.0.1': 0 } },
      stats: { 'broker1@127.0.0.1': { sessions: { count: 1, max: 1 } } },
      errors: [],
    });
    expect(Object.keys(document ?? {})).toEqual(
      ['takenAt', 'url', 'variant', 'nodes', 'listeners', 'metrics', 'stats', 'clients', 'errors'],
    );
  });

  it('prints a summary as plain text', async () => {
    const { code, stdout, stderr } = await once(chain.broker.server.url, 'text');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('nodes running 3 of 3, clients 2');
    for (const name of metricNames) expect(stdout).toContain(name);
    expect(stdout).toMatch(/^[ -~\n]*$/u);
  });

  it('reads from the first address that answers, and says which one does not', async () => {
    const dead = await deadUrl();
    const { code, stdout, stderr } = await once(dead, 'json', password, [chain.broker.server.url]);
    expect(code).toBe(0);
    expect(stderr).toBe(`brokertop: ${dead}: The management interface cannot be reached (ECONNREFUSED); check the URL and that the broker runs. Read from ${chain.broker.server.url} instead.\n`);
    expect(JSON.parse(stdout)).toMatchObject({ url: chain.broker.server.url, clients: { total: 2 }, errors: [] });
  });

  it('says why it failed', async () => {
    const { code, stdout, stderr } = await once(chain.broker.server.url, 'text', 'wrong');
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^brokertop: The broker rejected the user name or password \(401\)[^\n]*\n$/u);
  });
});

describe('--once without a broker', () => {
  it('fails with one sentence', async () => {
    const { code, stdout, stderr } = await once(await deadUrl(), 'json');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^brokertop: The management interface cannot be reached \(ECONNREFUSED\)[^\n]*\n$/u);
    expect(JSON.parse(stdout)).toMatchObject({ nodes: null, metrics: null, clients: { total: null } });
  });
});

const hostile = '\u{1F4A9}n\u001B]0;x\u0007\u009B2J\u202E@h';
const snapshot: Snapshot = {
  takenAt: '2026-01-01T00:00:00.000Z',
  variant: undefined,
  nodes: [{ name: hostile, info: undefined, stats: undefined }],
  listeners: { [hostile]: [] },
  metrics: { kind: 'by-node', nodes: { [hostile]: { 'bytes/received': 5 } } },
  stats: undefined,
  clients: { total: undefined, byNode: {} },
  errors: [],
};

describe('text of the broker', () => {
  it('does nothing to a terminal, in either form, and JSON keeps it exactly', () => {
    const json = snapshotJson(snapshot, 'http://h');
    expect(json).toMatch(/^[ -~]*\n$/u);
    expect(JSON.parse(json)).toMatchObject({ nodes: [{ name: hostile, info: null }] });
    const text = snapshotText(snapshot, { url: 'http://h', isInsecure: false }, createTheme({ LANG: 'C.UTF-8', TERM: 'xterm' }));
    expect(text).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E]/u);
    expect(text).toContain('\\u{1f4a9}n\\x1b]0;x\\x07\\x9b2J\\u202e@h');
    expect(text).toContain('Listeners: none');
  });
});
