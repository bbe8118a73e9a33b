import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, test } from 'vitest';
import { checkCodes, checkOutcome, type CheckSeverities, unknownOutcome } from '../../../src/cli/check/check.ts';
import { runCheck } from '../../../src/cli/check/command.ts';
import { readCluster } from '../../../src/cli/once/once.ts';
import { UnreachableError } from '../../../src/api/errors.ts';
import { deadUrl, startSilent } from '../../support/silent-server.ts';
import { startTlsFront } from '../../support/tls-front.ts';
import { problemParts } from '../../../src/checks/words.ts';
import type { Finding } from '../../../src/triage/problem.ts';
import { plainText } from '../../../src/domain/sentence.ts';
import { type Chain, password, startChain, registeredSpeakers } from '../../contract/support.ts';
import { byNode, createFakeApi, nodeInfo, nodeStats, stats } from '../../monitor/fake-api.ts';

const none: CheckSeverities = { warn: [], crit: [] };

const perfdata =
  /^clients=\S+;;;0 sessions=\S+;;;0 messages_in=\S+ messages_out=\S+ queue_drops=\S+ nodes_running=\S+;;;0;\d* critical=\d+ warning=\d+$/u;

const severityOfCode = ['OK', 'WARNING', 'CRITICAL', 'UNKNOWN'];

describe.each(registeredSpeakers)('check on %s', (speaker) => {
  let chain: Chain;
  beforeAll(async () => {
    chain = await startChain(speaker);
    await chain.connect('one', 0);
  });
  afterAll(() => chain.close());

  async function check(
    secret = password,
    severities = none,
  ): Promise<{ readonly code: number; readonly stdout: string }> {
    const stdout = new PassThrough();
    const session = {
      url: chain.broker.server.url,
      user: 'admin',
      password: secret,
      variant: 'auto',
      intervalSeconds: 2,
      isReadOnly: false,
      hasAudit: true,
      isInsecure: false,
    } as const;
    const code = await runCheck(session, severities, stdout, { rateSeconds: 0.05 });
    return { code, stdout: String(stdout.read() ?? '') };
  }

  it('prints one line with performance data, and exits as it says', async () => {
    const { code, stdout } = await check();
    const [head = '', data = ''] = (stdout.split('\n')[0] ?? '').split(' | ');
    expect(head).toMatch(new RegExp(`^BROKERTOP ${severityOfCode[code]} - `, 'u'));
    expect(data).toMatch(perfdata);
    expect(data).toContain('clients=1;;;0 sessions=1;;;0 ');
    expect(data).toContain('queue_drops=0 nodes_running=3;;;0;3 ');
  });

  it('is unknown if the login is wrong', async () => {
    const { code, stdout } = await check('wrong');
    expect(code).toBe(checkCodes.UNKNOWN);
    expect(stdout.startsWith(`BROKERTOP UNKNOWN - The broker rejected the username or password (401)`)).toBe(true);
  });
});

const hostile = 'n|x=1\n\u001B]0;x@h';

const broken = (status: 'running' | 'stopped') =>
  createFakeApi({
    listNodes: () => Promise.resolve([nodeInfo('ok'), ...(status === 'running' ? [nodeInfo(hostile)] : [])]),
    listNodeStats: () => Promise.resolve([nodeStats('ok'), nodeStats(hostile, status)]),
    listStats: () => Promise.resolve(new Map([['ok', stats({})]])),
    listListeners: () => Promise.resolve(new Map()),
    listMetrics: () => Promise.resolve(byNode({ ok: {} })),
  });

test('text from the broker cannot end the line or begin the data', async () => {
  const reading = await readCluster(broken('stopped'));
  const { status, text } = checkOutcome(reading, none);
  expect(status).toBe('CRITICAL');
  const [head = '', ...below] = text.trimEnd().split('\n');
  expect(head.split('|')).toHaveLength(2);
  expect(head).toContain(String.raw`n\x7cx=1\x0a`);
  expect(below.join('')).not.toContain('|');
  expect(text).toMatch(/^[ -~\n]*$/u);
});

describe('the severity of a check can be changed', () => {
  test('to a warning or to critical', async () => {
    const reading = await readCluster(broken('stopped'));
    const nodes = reading.report.findings.filter(({ check }) => check === 'nodes');
    expect(nodes.length).toBeGreaterThan(0);
    const others = [...new Set(reading.report.findings.map(({ check }) => check))];
    expect(checkOutcome(reading, { warn: others, crit: [] }).status).toBe('WARNING');
    const raised = checkOutcome(reading, { warn: others, crit: ['nodes'] });
    expect(raised.status).toBe('CRITICAL');
    const [first] = nodes;
    expect(raised.text).toContain(`critical=${nodes.length} warning=${reading.report.findings.length - nodes.length}`);
    expect(first && plainText(problemParts(first).title).length).toBeGreaterThan(0);
  });
});

test('without an answer nothing is known', async () => {
  const error = new UnreachableError('ECONNREFUSED');
  const fail = (): Promise<never> => Promise.reject(error);
  const reading = await readCluster(
    createFakeApi({ listNodes: fail, listNodeStats: fail, listStats: fail, listListeners: fail, listMetrics: fail }),
  );
  expect(checkOutcome(reading, none)).toEqual({
    status: 'UNKNOWN',
    text: `BROKERTOP UNKNOWN - ${error.message.slice(0, -1)}\n`,
  });
  expect(unknownOutcome('a\n  b|c')).toEqual({ status: 'UNKNOWN', text: 'BROKERTOP UNKNOWN - a b\\x7cc\n' });
});

test('no problems is OK', async () => {
  const reading = await readCluster(broken('running'));
  const ok = { ...reading, report: { ...reading.report, findings: [], problems: [] }, errors: [] };
  expect(checkOutcome(ok, none).text).toMatch(new RegExp(`^BROKERTOP OK - no problems \\| `, 'u'));
  const unread = { ...ok, errors: [{ part: 'sessions', kind: 'timeout', message: 'Too late.' } as const] };
  expect(checkOutcome(unread, none)).toMatchObject({
    status: 'UNKNOWN',
    text: expect.stringContaining('Too late. Not read: sessions'),
  });
});

describe('addresses that are not used are named', () => {
  const session = (url: string, ...otherUrls: readonly string[]) =>
    ({
      url,
      otherUrls,
      user: 'admin',
      password,
      variant: 'auto',
      intervalSeconds: 2,
      isReadOnly: false,
      hasAudit: true,
      isInsecure: false,
    }) as const;

  async function check(
    ...urls: readonly [string, ...string[]]
  ): Promise<{ readonly code: number; readonly lines: readonly string[] }> {
    const stdout = new PassThrough();
    const code = await runCheck(session(...urls), none, stdout, { rateSeconds: 0.05, deadlineMs: 60_000 });
    return { code, lines: String(stdout.read() ?? '').split('\n') };
  }

  async function start(): Promise<{ readonly good: string; readonly untrusted: string }> {
    const chain = await startChain('b');
    const front = await startTlsFront(Number(new URL(chain.broker.server.url).port));
    onTestFinished(async () => {
      await front.close();
      await chain.close();
    });
    return { good: chain.broker.server.url, untrusted: front.url };
  }

  const reason =
    'Certificate signed by an unknown authority (UNABLE_TO_VERIFY_LEAF_SIGNATURE). If you trust it, pass its CA certificate with --ca FILE.';

  test('one that was skipped for its certificate is a warning', async () => {
    const { good, untrusted } = await start();
    const { code, lines } = await check(await deadUrl(), untrusted, good);
    expect(code).not.toBe(checkCodes.OK);
    expect(lines).toContain(`warning: Skipped ${untrusted}. ${reason.slice(0, -1)}`);
  });

  test('so is the first one, if another is used instead', async () => {
    const { good, untrusted } = await start();
    const { lines } = await check(untrusted, good);
    expect(lines).toContain(`warning: ${untrusted}: ${reason} Using ${good} instead`);
    expect(lines[0]).toMatch(/ warning=[1-9]/u);
  });

  test('one that is down is named, and no warning', async () => {
    const { good } = await start();
    const dead = await deadUrl();
    const { lines } = await check(dead, good);
    expect(lines).toContain(
      `${dead}: Cannot connect to the management API (connection refused). Check the URL and that the broker is running. Using ${good} instead.`,
    );
  });

  test('an untrusted one alone decides the status', async () => {
    const quiet = createFakeApi({
      listNodes: () => Promise.resolve([nodeInfo('ok')]),
      listNodeStats: () => Promise.resolve([nodeStats('ok')]),
      listStats: () => Promise.resolve(new Map([['ok', stats({})]])),
      listListeners: () => Promise.resolve(new Map()),
      listMetrics: () => Promise.resolve(byNode({ ok: {} })),
    });
    const reading = { ...(await readCluster(quiet)), errors: [] };
    const calm = { ...reading, report: { ...reading.report, findings: [], problems: [] } };
    expect(checkOutcome(calm, none)).toMatchObject({ status: 'OK' });
    const outcome = checkOutcome(calm, none, [{ text: 'Skipped https://a. Certificate expired.', isUntrusted: true }]);
    expect(outcome).toMatchObject({
      status: 'WARNING',
      text: expect.stringMatching(
        /^BROKERTOP WARNING - Skipped https:\/\/a\. Certificate expired \| .* warning=1\nwarning: Skipped https:\/\/a\. Certificate expired\n/u,
      ),
    });
    expect(checkOutcome(calm, none, [{ text: 'http://a: down.', isUntrusted: false }])).toMatchObject({
      status: 'OK',
      text: expect.stringContaining('\nhttp://a: down.\n'),
    });
  });
});

test('a deadline names the proxy that does not answer', async () => {
  const proxy = await startSilent();
  const stdout = new PassThrough();
  const urls = ['http://broker1.test', 'http://broker2.test', 'http://broker3.test'] as const;
  const session = {
    url: urls[0],
    otherUrls: urls.slice(1),
    user: 'admin',
    password,
    variant: 'auto',
    intervalSeconds: 2,
    isReadOnly: false,
    hasAudit: true,
    isInsecure: true,
    proxyFor: () => ({ url: proxy, variable: 'http_proxy' }),
  } as const;
  expect(await runCheck(session, none, stdout, { deadlineMs: 6_000 })).toBe(checkCodes.UNKNOWN);
  expect(String(stdout.read())).toContain(
    `The broker did not respond within 6 s. It may be overloaded, or a node may be hung. http://broker1.test: The broker did not respond within 5 s. It may be overloaded, or a node may be hung. Or the proxy ${proxy} does not respond`,
  );
});

test.each(['..', 'a.'])('the first line keeps the full stops of the name %j', async (id) => {
  const reading = await readCluster(broken('running'));
  const finding: Finding = {
    key: 'alarm',
    check: 'alarms',
    severity: 'warning',
    jump: { screen: 'log' },
    code: 'alarm',
    evidence: { id, nodes: [], row: id, text: undefined },
  };
  const { text } = checkOutcome(
    { ...reading, report: { ...reading.report, findings: [finding], problems: [finding] } },
    none,
  );
  expect(text.split(' | ')[0]).toBe(`BROKERTOP WARNING - Alarm ${id}`);
});
