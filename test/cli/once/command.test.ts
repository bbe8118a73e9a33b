import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type OnceOptions, runOnce, snapshotJson } from '../../../src/cli/once/command.tsx';
import { readCluster, snapshotOf } from '../../../src/cli/once/once.ts';
import { onceTexts, readingText } from '../../../src/cli/once/text.tsx';
import { createTheme } from '../../../src/terminal/theme.ts';
import { checkOf, problemText } from '../../../src/checks/words.ts';
import { plainText } from '../../../src/domain/sentence.ts';
import { type Chain, password, startChain, variants } from '../../contract/support.ts';
import { byNode, createFakeApi, nodeInfo, nodeStats } from '../../monitor/fake-api.ts';
import { startTlsFront } from '../../support/tls-front.ts';

/** Runs the command and returns its output. */
async function once(
  url: string,
  format: 'text' | 'json',
  secret = password,
  otherUrls: readonly string[] = [],
  options: OnceOptions = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  const session = {
    url,
    otherUrls,
    user: 'admin',
    password: secret,
    variant: 'auto',
    intervalSeconds: 2,
    isReadOnly: false,
    hasAudit: true,
    isInsecure: false,
  } as const;
  const code = await runOnce(session, format, { ...streams, env: { TERM: 'dumb' } }, { rateSeconds: 0.05, ...options });
  const read = (stream: PassThrough): string => String(stream.read() ?? '');
  return { code, stdout: read(streams.stdout), stderr: read(streams.stderr) };
}

/** A port without a server. */
async function deadUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

it('sends nothing to another machine over http:// without --insecure-http', async () => {
  const { code, stdout, stderr } = await once('http://198.51.100.1:8080', 'text');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toBe(
    `brokertop: http://198.51.100.1:8080: 198.51.100.1 is another machine, and http:// sends the password unencrypted. Use https:// or an SSH tunnel, or add --insecure-http.\n`,
  );
});

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
    expect(Object.keys(document ?? {})).toEqual([
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

  it('prints a summary as plain text', async () => {
    const { code, stdout, stderr } = await once(chain.broker.server.url, 'text');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(onceTexts.nodes({ running: 3, total: 3 }, '2'));
    expect(stdout).toMatch(new RegExp(`^ok +\\S.*: ${checkOf('readings').noun}, nodes, listeners`, 'mu'));
    expect(stdout).toMatch(new RegExp(`^note `, 'mu'));
    expect(stdout.replaceAll(/\s+/gu, ' ')).toContain(
      ` limits, ${checkOf('slow').noun}, ${checkOf('balance').noun}, ${checkOf('versions').noun}, plugins${variant === 'b' ? ', settings' : ''} `,
    );
    // The maximum of the cluster is not known, and not guessed: each node reports its own.
    expect(stdout.split('\n')).toContain(onceTexts.totalsOfNodes);
    expect(stdout).toMatch(/^ max +\d/mu);
    expect(stdout).toContain(onceTexts.rates('0 s', '0/s', '').slice(0, -1));
    expect(stdout).toMatch(/^ messages +0\/s +0\/s$/mu);
    expect(stdout).toMatch(/^[ -~\n]*$/u);
    const lines = stdout.split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.length).toBeLessThan(40);
  });

  it('leaves the lists out with --quick', async () => {
    const { code, stdout, stderr } = await once(chain.broker.server.url, 'text', password, [], { isQuick: true });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.replaceAll(/\s+/gu, ' ')).toContain(
      `sessions, alarms, plugins${variant === 'b' ? ', settings' : ''} (not read with --quick)`,
    );
  });

  it('reads from the first address that answers, and reports the others', async () => {
    const dead = await deadUrl();
    const { code, stdout, stderr } = await once(dead, 'json', password, [chain.broker.server.url]);
    expect(code).toBe(0);
    expect(stderr).toBe(
      `brokertop: ${dead}: Cannot connect to the management API (connection refused). Check the URL and that the broker is running. Using ${chain.broker.server.url} instead.\n`,
    );
    expect(JSON.parse(stdout)).toMatchObject({ url: chain.broker.server.url, clients: { total: 2 }, errors: [] });
  });

  it('reports why it failed', async () => {
    const { code, stdout, stderr } = await once(chain.broker.server.url, 'text', 'wrong');
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toBe(`brokertop: ${chain.broker.server.url}: The broker rejected the username or password (401).\n`);
  });
});

describe('--once without a broker', () => {
  it('fails with one sentence', async () => {
    const dead = await deadUrl();
    const { code, stdout, stderr } = await once(dead, 'json');
    expect(code).toBe(1);
    expect(stderr).toBe(
      `brokertop: ${dead}: Cannot connect to the management API (connection refused). Check the URL and that the broker is running.\n`,
    );
    expect(JSON.parse(stdout)).toMatchObject({ nodes: null, metrics: null, clients: { total: null } });
  });
});

const hostile = '\u{1F4A9}n\u001B]0;x\u0007\u009B2J\u202E@h';
const api = createFakeApi({
  listNodes: () => Promise.resolve([nodeInfo(hostile)]),
  listNodeStats: () => Promise.resolve([nodeStats(hostile, 'stopped')]),
  listListeners: () => Promise.resolve(new Map([[hostile, []]])),
  listStats: () => Promise.resolve(new Map()),
  listMetrics: () => Promise.resolve(byNode({ [hostile]: { 'bytes.received': 5 } })),
});

it('reports an address that was skipped for its certificate', async () => {
  const chain = await startChain('b');
  const front = await startTlsFront(Number(new URL(chain.broker.server.url).port));
  onTestFinished(async () => {
    await front.close();
    await chain.close();
  });
  const dead = await deadUrl();
  const { code, stderr } = await once(dead, 'text', password, [front.url, chain.broker.server.url]);
  expect(code).toBe(0);
  expect(stderr.split('\n')).toEqual([
    `brokertop: Skipped ${front.url}. Certificate signed by an unknown authority (UNABLE_TO_VERIFY_LEAF_SIGNATURE). If you trust it, pass its CA certificate with --ca FILE.`,
    expect.stringContaining(
      `${dead}: Cannot connect to the management API (connection refused). Check the URL and that the broker is running.`,
    ),
    '',
  ]);
});

it('has one deadline for all addresses', async () => {
  const urls = await Promise.all(
    [1, 2, 3].map(async () => {
      const server = createServer(() => {}).listen(0, '127.0.0.1');
      await new Promise((resolve) => server.once('listening', resolve));
      onTestFinished(() => {
        server.closeAllConnections();
        server.close();
      });
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    }),
  );
  const [url = '', ...others] = urls;
  const { code, stdout, stderr } = await once(url, 'text', password, others, { deadlineMs: 300 });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(
    stderr.startsWith(
      `brokertop: ${url}: The broker did not respond within 0.3 s. It may be overloaded, or a node may be hung.`,
    ),
  ).toBe(true);
  expect(stderr).toMatch(/^[^\n]*\n$/u);
});

describe('text from the broker', () => {
  it('is escaped as text and exact in JSON', async () => {
    const reading = await readCluster(api);
    const json = snapshotJson(snapshotOf(reading), 'http://h');
    expect(json).toMatch(/^[ -~]*\n$/u);
    expect(JSON.parse(json)).toMatchObject({
      nodes: [{ name: hostile }],
      problems: [
        {
          code: 'node-down',
          text: plainText(
            problemText({ code: 'node-down', evidence: { node: hostile, status: 'stopped', clients: undefined } }),
          ),
        },
      ],
    });
    const text = readingText(
      reading,
      { url: 'http://h', isInsecure: false },
      createTheme({ LANG: 'C.UTF-8', TERM: 'xterm' }),
    );
    expect(text).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E]/u);
    expect(text).toContain('\\u{1f4a9}n\\x1b]0;x\\x07\\x9b2J\\u202e@h');
    expect(text).toContain(`${onceTexts.listeners}: none`);
  });
});
