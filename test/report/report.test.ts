import { describe, expect, test } from 'vitest';
import type { MonitorState } from '../../src/monitor/state.ts';
import { openRecording } from '../../src/recording/folder-reader.ts';
import type { ReportFormat } from '../../src/report/formats.ts';
import { zoneText } from '../../src/report/texts.ts';
import { writeReport } from '../../src/report/write.ts';
import type { TimelineEvent } from '../../src/domain/event.ts';
import type { Finding } from '../../src/triage/problem.ts';
import { clientOf } from '../screens/list-fixtures.ts';
import { recordStates, type RecordedMoment } from '../support/recordings.ts';
import { at, event, incident, losing, lost, momentOf } from './scene.ts';

interface Wanted {
  readonly format?: ReportFormat;
  readonly isRedacted?: boolean;
  readonly fromMs?: number;
  readonly toMs?: number;
}

async function reportOf(
  moments: readonly RecordedMoment[],
  { format = 'markdown', isRedacted = false, fromMs = at(0), toMs = at(10) }: Wanted = {},
): Promise<string | undefined> {
  const recording = await openRecording<MonitorState, TimelineEvent>(await recordStates(moments));
  const report = await writeReport(recording, format, {
    cluster: recording.cluster,
    range: { fromMs, toMs },
    version: '1.2.3',
    writtenMs: at(30),
    isRedacted,
  });
  await recording.close();
  return report;
}

/** The text of a Markdown report, without its graphs and empty lines. */
const textOf = (report = ''): readonly string[] =>
  report
    .replaceAll(/data:image[^)]*/gu, 'SVG')
    .split('\n')
    .filter((line) => line !== '');

const sectionOf = (report: string | undefined, title: string): readonly string[] => {
  const lines = textOf(report);
  const from = lines.indexOf(title) + 1;
  const to = lines.findIndex((line, index) => index >= from && line.startsWith('## '));
  return lines.slice(from, to === -1 ? lines.length : to);
};

const graphsOf = (report = ''): readonly string[] =>
  [...report.matchAll(/base64,([^)]*)/gu)].map(([, bytes = '']) => Buffer.from(bytes, 'base64').toString());

describe('a report', () => {
  test('tells an incident', async () => {
    expect(textOf(await reportOf(incident()))).toEqual([
      '# Incident report: prod',
      `28 Nov 2026 14:00:00 to 14:10:00 (10m 00s). Times are ${zoneText(at(10))}.`,
      'Recorded by brokertop 1.2.3; written 28 Nov 2026 14:30:00 by brokertop 1.2.3.',
      '## Summary',
      '2 critical problems. 1 still open at the end.',
      '- 1: CRITICAL worker-000001 is losing 73 msg/s: 14:01:00 to 14:04:50 (3m 50s), 8,400 messages lost',
      '- 2: CRITICAL Node b@10.9.9.2 is stopped: 14:06:00 or before, still open at the end of this report',
      '- Clients: 3, at the beginning as at the end.',
      '- 1 action, see "What was done".',
      '## Problems',
      '### 1: CRITICAL worker-000001 is losing 73 msg/s',
      '- Began: 14:01:00',
      '- Ended: 14:04:50',
      '- Lasted: 3m 50s',
      '- Lost: 8,400 messages',
      '- At its worst (14:03:00): worker-000001 is losing 73 msg/s; queue full; inflight 32/32; a@10.9.9.1; limit 1,000',
      '- Last (14:04:00): worker-000001 is losing 40 msg/s',
      '- 14:03:30 worker-000001 is losing 73 msg/s: Ann is on it',
      '- Action: 14:04:30 Disconnected client worker-000001.',
      '- Action: 14:04:31 Client worker-000001: reconnected within 0.5 s',
      '### 2: CRITICAL Node b@10.9.9.2 is stopped',
      '- Began: 14:06:00 or before',
      '- Still open at the end of this report, after 4m 00s',
      '- At its worst (14:06:00): Node b@10.9.9.2 is stopped; had 1 client',
      '- No action about it was recorded',
      '## Timeline',
      '| Time | Severity | What | Object |',
      '|---|---|---|---|',
      '| 14:01:00 | CRITICAL | worker-000001 is losing 25 msg/s | worker-000001 |',
      '| 14:03:30 | acknowledged | worker-000001 is losing 73 msg/s: Ann is on it | worker-000001 |',
      '| 14:04:30 | action | Disconnected client worker-000001. | worker-000001 |',
      '| 14:04:31 | action | Client worker-000001: reconnected within 0.5 s | worker-000001 |',
      '| 14:04:50 | ended | worker-000001 was losing 40 msg/s | worker-000001 |',
      '| 14:06:00 | CRITICAL | b@10.9.9.2 stopped | b@10.9.9.2 |',
      '## Graphs',
      'Dashed lines mark where the problems above begin, by their number.',
      '![Messages](SVG)',
      '![Lost and unrouted messages](SVG)',
      '![Clients](SVG)',
      '## Clients concerned',
      '| Client | Node | User | Address | Lost | Problem |',
      '|---|---|---|---|---|---|',
      '| worker-000001 | a@10.9.9.1 | fleet | 10.2.4.17 | 8,400 | worker-000001 is losing 73 msg/s |',
      '## What was done',
      '| Time | What | By | Afterwards |',
      '|---|---|---|---|',
      '| 14:04:30 | Disconnected client worker-000001. | ann | 1 s later: Client worker-000001: reconnected within 0.5 s; 20 s later: worker-000001 was losing 40 msg/s |',
      '## What changed between the beginning and the end',
      'The state at 14:00:00, compared with that at 14:10:00.',
      '| List | Change | What | Before | After |',
      '|---|---|---|---|---|',
      '| nodes | gone | b@10.9.9.2 |  |  |',
      '| bans | reason | username eve | noisy | loud |',
      '| Figure | Beginning | End |',
      '|---|---|---|',
      '| a@10.9.9.1: clients | 2 | 3 |',
      '## What is not known',
      '- Not recorded, so their changes are not known: listeners, subscriptions, plugins, settings, users, alarms.',
      '- Actions are those done with the brokertop that recorded, and with others whose events are kept beside it. What was done otherwise shows only in what changed.',
      '- Times of day are those of the machine that recorded, as its clock was set.',
    ]);
  });

  test('draws what was recorded, and marks where problems begin', async () => {
    const [messages = '', , clients = ''] = graphsOf(await reportOf(incident()));
    const texts = (svg: string): readonly string[] =>
      [...svg.matchAll(/<text[^>]*>([^<]*)/gu)].map(([, text = '']) => text);
    expect(texts(messages)).toEqual([
      'Messages ',
      '0',
      '10',
      '20',
      '14:00',
      '14:05',
      '14:10',
      '1',
      '2',
      'received',
      'sent',
    ]);
    expect(texts(clients)).toContain('b@10.9.9.2');
    // Nothing from before the recording, and a gap where a node is gone.
    expect([...clients.matchAll(/<path d="([^"]*)"/gu)].map(([, path = '']) => path.startsWith('M64 '))).toEqual([
      true,
      true,
    ]);
  });

  test('says what it cannot know', async () => {
    const from = (minute: number, second = 0): RecordedMoment =>
      momentOf({ atMs: at(minute, second), problems: minute < 4 ? [losing('x', 5, { seenMs: at(1) })] : [] });
    const report = await reportOf([from(2), from(3), momentOf({ atMs: at(8) })], { toMs: at(20) });
    expect(sectionOf(report, '## Problems')).toEqual([
      '### 1: CRITICAL x is losing 5 msg/s',
      '- Began: 14:01:00',
      '- Ended: between 14:03:00 and 14:08:00',
      '- Lasted: at least 2m 00s',
      '- At its worst (14:02:00): x is losing 5 msg/s; queue full; inflight 32/32; a@10.9.9.1; limit 1,000',
    ]);
    expect(sectionOf(report, '## Summary')).toContain('- No events were recorded, so what was done is not known.');
    expect(sectionOf(report, '## Clients concerned').at(-1)).toBe(
      '| x | not known | not known | not known | not known | x is losing 5 msg/s |',
    );
    expect(sectionOf(report, '## What is not known')).toEqual(
      expect.arrayContaining([
        '- The recording begins at 14:02:00: nothing is known of the time before.',
        '- Nothing was recorded from 14:03:00 to 14:08:00 (5m 00s).',
        '- The recording ends at 14:08:00: nothing is known of the time after.',
      ]),
    );
    const unread = await reportOf([from(2), from(3)], { fromMs: at(2), toMs: at(3) });
    expect(sectionOf(unread, '## Problems')).toContain('- Ended: not known, as it could not be checked since 14:01:00');
    expect(await reportOf([from(2)], { fromMs: at(5), toMs: at(9) })).toBeUndefined();
  });

  test('counts what a session loses once, when it moves to another node and counts on', async () => {
    const over = losing('worker-000001', 0, { code: 'messages-lost', severity: 'warning' });
    const now = { ...over, evidence: { ...over.evidence, dropped: 1_582, isLossOver: true } } as Finding;
    const onB = { ...lost('worker-000001', 1_582), node: 'b@10.9.9.2' };
    const report = await reportOf([
      momentOf({ atMs: at(0), sessions: [lost('worker-000001', 0)] }),
      momentOf({ atMs: at(1), sessions: [lost('worker-000001', 0)], problems: [losing('worker-000001', 11)] }),
      momentOf({ atMs: at(2), sessions: [lost('worker-000001', 1_536)], problems: [losing('worker-000001', 11)] }),
      momentOf({ atMs: at(3), sessions: [onB], problems: [now] }),
      // The node that it left lists it once more.
      momentOf({ atMs: at(4), sessions: [lost('worker-000001', 1_536)], problems: [now] }),
      momentOf({ atMs: at(5), sessions: [{ ...onB }], problems: [now] }),
    ]);
    expect(sectionOf(report, '## Summary')[1]).toBe(
      '- 1: CRITICAL worker-000001 is losing 11 msg/s: 14:01:00, still open at the end of this report, at least 1,582 messages lost; at the end: worker-000001 lost 1,582 messages',
    );
    expect(sectionOf(report, '## Problems')).toContain('- Lost: at least 1,582 messages');
  });

  test('adds what a session loses that began again', async () => {
    const problems = [losing('x', 11)];
    const report = await reportOf([
      momentOf({ atMs: at(1), sessions: [lost('x', 0)], problems }),
      momentOf({ atMs: at(2), sessions: [lost('x', 100)], problems }),
      momentOf({ atMs: at(3), sessions: [{ ...lost('x', 30), createdAt: at(2) }], problems }),
    ]);
    expect(sectionOf(report, '## Problems')).toContain('- Lost: at least 130 messages');
  });

  test('counts a problem that another one caused with that one', async () => {
    const alarm = losing('x', 5, { key: 'alarm x', partOf: 'slow x', code: 'queue-full', severity: 'warning' });
    const first = momentOf({ atMs: at(2), problems: [losing('x', 5)], parts: [alarm] });
    // Alone, while the cause is not found for a moment.
    const { partOf, ...alone } = alarm;
    const second = momentOf({ atMs: at(3), problems: [losing('x', 5), alone] });
    const third = momentOf({ atMs: at(4), problems: [losing('x', 5)], parts: [alarm] });
    const report = await reportOf([first, second, third]);
    expect(partOf).toBe('slow x');
    expect(sectionOf(report, '## Summary')[0]).toBe('1 critical problem. 1 still open at the end.');
    expect(sectionOf(report, '## Problems')).toContain('- With it: Queue of x is full');
  });

  test('tells a problem that came back as two', async () => {
    const of = { problem: 'slow x', clientId: 'x', severity: 'warning' as const };
    const report = await reportOf([
      momentOf({ atMs: at(0) }),
      momentOf({
        atMs: at(2),
        problems: [losing('x', 5)],
        events: [event(at(1), 'began', 'x is losing 5 msg/s', of)],
      }),
      momentOf({ atMs: at(4), events: [event(at(3), 'ended', 'x was losing 5 msg/s', of)] }),
      momentOf({
        atMs: at(6),
        problems: [losing('x', 9, { sinceMs: at(5) })],
        events: [event(at(5), 'began', 'x is losing 9 msg/s', of)],
      }),
      // Too short to be in a sample.
      momentOf({
        atMs: at(8),
        problems: [losing('x', 9, { sinceMs: at(5) })],
        events: [
          event(at(6, 10), 'began', 'y is losing 1 msg/s', { ...of, problem: 'slow y', clientId: 'y' }),
          event(at(6, 50), 'ended', 'y was losing 1 msg/s', { ...of, problem: 'slow y', lastedMs: 40_000 }),
        ],
      }),
    ]);
    expect(sectionOf(report, '## Summary').slice(1, 4)).toEqual([
      '- 1: CRITICAL x is losing 5 msg/s: 14:01:00 to 14:03:00 (2m 00s)',
      '- 2: CRITICAL x is losing 9 msg/s: 14:05:00, still open at the end of this report',
      '- 3: WARNING y is losing 1 msg/s: 14:06:10 to 14:06:50 (40 s)',
    ]);
    expect(sectionOf(report, '## Problems')).toContain(
      '- Evidence: not recorded: the problem was too short to be in a sample',
    );
  });
});

describe('a redacted report', () => {
  const names = ['worker-000001', 'sensor-7', 'fleet', '10.2.4.17', '10.9.9', 'broker.example', 'admin', 'eve', 'ann'];

  test.each<ReportFormat>(['markdown', 'html'])(
    'as %s has no ID, user, address or node of the cluster',
    async (format) => {
      const report = (await reportOf(incident(), { format, isRedacted: true })) ?? '';
      const bytes = [report, ...graphsOf(report)].join('\n');
      for (const name of names) expect(bytes).not.toMatch(new RegExp(String.raw`(?<![\w-])${name}(?![\w-])`, 'u'));
      expect(bytes).toContain('client-1 is losing 73 msg/s');
      expect(bytes).toContain('node-2');
    },
  );

  test('names the same thing the same everywhere, and leaves numbers as they are', async () => {
    const report = await reportOf(incident(), { isRedacted: true });
    expect(sectionOf(report, '## Clients concerned').at(-1)).toBe(
      '| client-1 | node-1 | user-1 | address-1 | 8,400 | client-1 is losing 73 msg/s |',
    );
    expect(sectionOf(report, '## Timeline').at(-2)).toBe(
      '| 14:04:50 | ended | client-1 was losing 40 msg/s | client-1 |',
    );
  });
});

describe('names of the broker', () => {
  const hostile = '</td><script>x</script>\u{1b}[2J\u202e|`*[a](http://x)';

  test('are text, and no more', async () => {
    const of = { problem: `slow ${hostile}`, clientId: hostile, severity: 'critical' as const };
    const moments = [
      momentOf({ atMs: at(0), clients: [clientOf(hostile, { username: hostile })], sessions: [lost(hostile, 0)] }),
      momentOf({
        atMs: at(2),
        problems: [losing(hostile, 5)],
        clients: [clientOf(hostile, { username: hostile })],
        sessions: [lost(hostile, 500)],
        events: [event(at(1), 'began', `${hostile} is losing 5 msg/s`, of)],
        clientsByNode: { [hostile]: 1 },
      }),
    ];
    const html = (await reportOf(moments, { format: 'html' })) ?? '';
    expect(html).not.toMatch(/<script|<[^>]*\s(?:src|href|on\w+)\s*=|url\(|@import/iu);
    // The only addresses are the names of formats.
    expect([...html.matchAll(/https?:[^\s"<)]*/gu)].map(([url]) => url).filter((url) => url !== 'http://x')).toEqual([
      'http://www.w3.org/2000/svg',
      'http://www.w3.org/2000/svg',
      'http://www.w3.org/2000/svg',
    ]);
    expect(html).not.toMatch(/[\0-\x09\x0B-\x1F\x7F-\x9F\u202A-\u202E]/u);
    const markdown = (await reportOf(moments)) ?? '';
    expect(sectionOf(markdown, '## Clients concerned').at(-1)).toMatch(
      /^\| \\<\/td\\>\\<script\\>x\\<\/script\\>\\\\x1b\\\[2J\\\\u202e\\\|\\`\\\*\\\[a\\\]\(http\\:\/\/x\) \| /u,
    );
  });
});
