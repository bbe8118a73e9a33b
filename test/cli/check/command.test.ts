import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { checkCodes, checkOutcome, type CheckSeverities, unknownOutcome } from '../../../src/cli/check/check.ts';
import { runCheck } from '../../../src/cli/check/command.ts';
import { readCluster } from '../../../src/cli/once/once.ts';
import { checkCommandTexts } from '../../../src/cli/texts.ts';
import { errorTexts } from '../../../src/api/texts.ts';
import { UnreachableError } from '../../../src/api/errors.ts';
import { problemParts } from '../../../src/ui/problem-texts.ts';
import { plainText } from '../../../src/ui/sentences.ts';
import { type Chain, password, startChain } from '../../contract/support.ts';
import { byNode, createFakeApi, nodeInfo, nodeStats, stats } from '../../monitor/fake-api.ts';

const none: CheckSeverities = { warn: [], crit: [] };

const perfdata = /^clients=\S+;;;0 sessions=\S+;;;0 messages_in=\S+ messages_out=\S+ queue_drops=\S+ nodes_running=\S+;;;0;\d* critical=\d+ warning=\d+$/u;

const severityOfCode = ['OK', 'WARNING', 'CRITICAL', 'UNKNOWN'];

describe.each(['b', 'v5'] as const)('check on %s', (speaker) => {
  let chain: Chain;
  beforeAll(async () => {
    chain = await startChain(speaker);
    await chain.connect('one', 0);
  });
  afterAll(() => chain.close());

  async function check(secret = password, severities = none): Promise<{ readonly code: number; readonly stdout: string }> {
    const stdout = new PassThrough();
    const session = { url: chain.broker.server.url, user: 'admin', password: secret, variant: 'auto', intervalSeconds: 2, isReadOnly: false, hasAudit: true, isInsecure: false } as const;
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
    expect(stdout.startsWith(`BROKERTOP UNKNOWN - ${errorTexts.unauthorized.slice(0, -1)}`)).toBe(true);
  });
});

const hostile = 'n|x=1\n\u001B]0;x@h';

const broken = (status: 'running' | 'stopped') => createFakeApi({
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
  const reading = await readCluster(createFakeApi({ listNodes: fail, listNodeStats: fail, listStats: fail, listListeners: fail, listMetrics: fail }));
  expect(checkOutcome(reading, none)).toEqual({ status: 'UNKNOWN', text: `BROKERTOP UNKNOWN - ${error.message.slice(0, -1)}\n` });
  expect(unknownOutcome('a\n  b|c')).toEqual({ status: 'UNKNOWN', text: 'BROKERTOP UNKNOWN - a b\\x7cc\n' });
});

test('no problems is OK', async () => {
  const reading = await readCluster(broken('running'));
  const ok = { ...reading, report: { ...reading.report, findings: [] }, errors: [] };
  expect(checkOutcome(ok, none).text).toMatch(new RegExp(`^BROKERTOP OK - ${checkCommandTexts.noProblems} \\| `, 'u'));
  const unread = { ...ok, errors: [{ part: 'sessions', kind: 'timeout', message: 'Too late.' } as const] };
  expect(checkOutcome(unread, none)).toMatchObject({ status: 'UNKNOWN', text: expect.stringContaining(checkCommandTexts.notRead(['sessions'], 'Too late.')) });
});
