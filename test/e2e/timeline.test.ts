import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openEventFile } from '../../src/cli/files/event-file.ts';
import { clusterFileName } from '../../src/cli/files/state-folder.ts';
import type { TimelineEvent } from '../../src/domain/event.ts';
import { type BuiltCluster, startBuiltCluster } from '../support/built-cluster.ts';
import { closeTerminalsAtEnd, openReadyMonitor, run, waitForFrame } from './support.ts';

closeTerminalsAtEnd();

let cluster: BuiltCluster;
beforeAll(async () => {
  cluster = await startBuiltCluster({ nodes: 1, clients: 5 });
});
afterAll(() => cluster.stop());

/** The events of a run that has ended. */
const kept = (): readonly TimelineEvent[] => {
  const before = { severity: 'warning', run: 'before', atMs: Date.now() - 60_000 } as const;
  return [
    {
      ...before,
      id: '1',
      kind: 'node',
      text: 'Node broker1@127.0.0.1 is stopped (was running)',
      node: 'broker1@127.0.0.1',
      jump: { screen: 'node', node: 'broker1@127.0.0.1' },
    },
    { ...before, id: '2', kind: 'change', severity: 'info', text: 'New: user eve' },
  ];
};

test.each([
  { cols: 80, rows: 24 },
  { cols: 200, rows: 60 },
])('the timeline by keys, with events of an earlier run: $cols×$rows', async (size) => {
  const state = await mkdtemp(path.join(tmpdir(), 'timeline-'));
  onTestFinished(() => rm(state, { recursive: true, force: true }));
  const url = cluster.monitor.args[cluster.monitor.args.indexOf('--url') + 1] ?? '';
  const file = openEventFile(path.join(state, 'brokertop', 'events', `${clusterFileName(url)}.ndjson`));
  file.append(kept());
  await file.settled();
  const terminal = await openReadyMonitor(cluster.monitor, { ...size, env: { XDG_STATE_HOME: state } });
  terminal.type('L');
  await waitForFrame(terminal, (session) => /info +(?:change +)?New: user eve/u.test(session.text()));
  terminal.type('/');
  terminal.type('kind:node');
  terminal.press('enter');
  await waitForFrame(
    terminal,
    (session) =>
      /▸.*Node broker1@127\.0\.0\.1 is stopped/u.test(session.text()) && !session.text().includes('user eve'),
  );
  terminal.type('y');
  await waitForFrame(terminal, () => terminal.effects().clipboard.length > 0);
  expect(terminal.effects().clipboard).toEqual(['Node broker1@127.0.0.1 is stopped (was running)']);
  terminal.press('enter');
  await waitForFrame(
    terminal,
    (session) => session.text().includes('broker1@127.0.0.1') && !session.text().includes('EVENT'),
  );
  terminal.type('\u001B');
  await waitForFrame(terminal, (session) => /▸.*Node broker1@127\.0\.0\.1 is stopped/u.test(session.text()));
  const saved = path.join(state, 'x.csv');
  terminal.type('\u0013');
  await terminal.waitFor('raw values, with times in UTC');
  terminal.type('\t\t\u0015');
  await terminal.waitFor((session) => session.lines().some((line) => line.includes('File') && !line.includes('.csv')));
  terminal.type(saved);
  await terminal.waitFor('x.csv');
  terminal.type('\u0013');
  await terminal.waitFor(' Saved ');
  const [header = '', ...rows] = (await readFile(saved, 'utf8')).trimEnd().split('\r\n');
  expect(header.split(',')).toEqual(expect.arrayContaining(['time', 'severity', 'text']));
  expect(rows).toHaveLength(1);
  // The first key closes the result, and Enter opens nothing behind it.
  terminal.press('enter');
  await terminal.waitFor((session) => !session.text().includes(' Saved ') && session.text().includes('EVENT'));
  terminal.press('enter');
  await terminal.waitFor((session) => !session.text().includes('EVENT'));
  terminal.press('ctrl-c');
  expect((await terminal.exited).code).toBe(0);
  const listed = await run(['events', '--url', url, '--format', 'ndjson', '--columns', 'kind,text'], {
    XDG_STATE_HOME: state,
  });
  const texts = listed.stdout.trim().split('\n');
  expect(texts.slice(0, 3).map((line) => JSON.parse(line) as unknown)).toEqual([
    { kind: 'node', text: 'Node broker1@127.0.0.1 is stopped (was running)' },
    { kind: 'change', text: 'New: user eve' },
    { kind: 'note', text: 'brokertop started' },
  ]);
  expect(JSON.parse(texts.at(-1) ?? '')).toEqual({ kind: 'note', text: 'brokertop stopped' });
});
