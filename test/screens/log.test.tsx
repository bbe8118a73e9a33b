import { stripVTControlCharacters } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import type { TimelineEvent } from '../../src/domain/event.ts';
import { addEvent } from '../../src/monitor/events.ts';
import { composeLine } from '../../src/terminal/line.ts';
import { eventOf } from '../support/events.ts';
import { readingsOf } from '../support/readings.ts';
import { logRows } from '../../src/resources/log/view/event-rows.ts';
import { LogScreen } from '../../src/resources/log/screen.tsx';
import type { DialogRequest } from '../../src/actions/requests.ts';
import type { SafeText } from '../../src/terminal/safe-text.ts';
import { DialogContext } from '../../src/tui/hooks/open-dialog.ts';
import { createRig, endRigs, plainTheme } from '../tui/support/rig.tsx';
import { sizes } from './frames.ts';
import { createFakeMonitor, propsOf } from './list-fixtures.ts';

afterEach(endRigs);

const withEvents = (events: readonly TimelineEvent[]) => readingsOf({ timelineEvents: events });

const logged = (events: readonly TimelineEvent[]) => createFakeMonitor(withEvents(events));

const log = Array.from({ length: 200 }, (_, index) =>
  eventOf({ atMs: index, text: `entry ${index} \u001B]0;x\u0007` }),
);

test.each(sizes)('fills %i by %i, empty or full, and watches nothing', (width, height) => {
  const empty = createFakeMonitor();
  expect(
    createRig(<LogScreen {...propsOf(empty, [width, height])} />, {
      columns: width,
      rows: height + 1,
      theme: plainTheme,
    }).lines(),
  ).toHaveLength(height);
  const full = logged(log);
  const lines = createRig(<LogScreen {...propsOf(full, [width, height])} />, {
    columns: width,
    rows: height + 1,
    theme: plainTheme,
  }).lines();
  expect(lines).toHaveLength(height);
  expect(lines.find((line) => line.includes('entry'))).toContain(String.raw`entry 199 \x1b]0;x\x07`);
  expect(full.watching).toEqual([]);
});

test('is a list with dates, newest first, with a cursor whose entry is shown in full', async () => {
  const at = new Date(2026, 10, 27, 14, 2, 31).getTime();
  const long = `Problem: ${'worker-000001 is losing messages '.repeat(5)}now`;
  const monitor = logged([
    eventOf({ atMs: at, severity: 'warning', text: long }),
    eventOf({ atMs: at + 86_400_000, severity: 'info', text: 'Resolved' }),
  ]);
  const rig = createRig(<LogScreen {...propsOf(monitor, [80, 18])} />, { columns: 80, rows: 19, theme: plainTheme });
  const lines = await rig.until((text) => text.includes('2026-11-28 14:02:31'));
  const [newer, older] = ['2026-11-28 14:02:31', '2026-11-27 14:02:31'].map((time) =>
    lines.findIndex((line) => line.includes(time)),
  );
  expect(newer).toBeLessThan(older ?? 0);
  expect(lines[older ?? 0]).toMatch(/2026-11-27 14:02:31 +WARNING +Problem: worker-000001/u);
  expect(lines.join('\n')).not.toContain('now');
  rig.type('j');
  await rig.until((text) => text.includes('now'));
});

test('is filtered like other lists: Enter accepts, Esc clears', async () => {
  const monitor = logged([
    eventOf({ atMs: 1, severity: 'info', text: 'one' }),
    eventOf({ atMs: 2, severity: 'warning', text: 'two' }),
  ]);
  const rig = createRig(<LogScreen {...propsOf(monitor, [80, 18])} />, { columns: 80, rows: 19, theme: plainTheme });
  await rig.until((text) => text.includes('one') && text.includes('two'));
  rig.type('/');
  rig.type('severity:warning');
  await rig.until((text) => text.includes('two') && !/info +one/u.test(text));
  rig.type('\r');
  await rig.until((text) => text.includes('severity:warning') && !/info +one/u.test(text));
  rig.type('\u001B');
  await rig.until((text) => /info +one/u.test(text));
  expect(rig.lines().join('\n')).toContain('two');
});

test('says when it is empty, and goes to its ends', async () => {
  const monitor = createFakeMonitor();
  const rig = createRig(<LogScreen {...propsOf(monitor, [80, 18])} />, { columns: 80, rows: 19, theme: plainTheme });
  await rig.until((text) => text.includes('No actions, problems or errors yet.'));
  monitor.set(withEvents(log));
  await rig.until((text) => text.includes('entry 199 '));
  rig.type('G');
  await rig.until((text) => text.includes('entry 0 '));
  rig.type('g');
  const first = await rig.until((text) => text.includes('entry 199 ') && !text.includes('entry 0 '));
  expect(first.join('\n')).toContain('entry 198 ');
});

test('says how often an entry was repeated, and since when', () => {
  const at = new Date(2026, 0, 2, 3, 4, 5).getTime();
  const first = eventOf({ id: 'first', atMs: at, severity: 'warning', text: 'Not done.' });
  const again = (seconds: number) => ({ ...first, id: `after ${seconds}`, atMs: at + seconds * 1_000 });
  const linesOf = (events: readonly TimelineEvent[]): readonly string[] =>
    logRows(plainTheme, 80, events, []).map((row) =>
      stripVTControlCharacters(composeLine(plainTheme, 80, row)).trimEnd(),
    );
  const repeated = addEvent(addEvent([], first), again(4));
  expect(linesOf(repeated)).toEqual(['2 Jan 03:04:09 !  Not done. (2 times since 2 Jan 03:04:05)']);
  const more = addEvent(repeated, again(60));
  expect(linesOf(more)).toEqual(['2 Jan 03:05:05 !  Not done. (3 times since 2 Jan 03:04:05)']);
  expect(more.map(({ id }) => id)).toEqual(['first']);
  // Two actions are two, even if they say the same.
  const action = { ...first, kind: 'action', action: { name: 'publish', outcome: 'done' } } as const;
  expect(addEvent([action], { ...action, id: 'second' })).toHaveLength(2);
  expect(addEvent(repeated, { ...again(60), severity: 'info' })).toHaveLength(2);
});

test('one entry does not hide the others', () => {
  const monitor = logged([
    ...['\u200B', '世', 'x'].map((character, index) => eventOf({ atMs: index, text: character.repeat(65_000) })),
    eventOf({ atMs: 9, severity: 'info', text: 'short' }),
  ]);
  const lines = createRig(<LogScreen {...propsOf(monitor, [80, 40])} />, {
    columns: 80,
    rows: 41,
    theme: plainTheme,
  }).lines();
  expect(lines.filter((line) => /info +\S/u.test(line))).toHaveLength(4);
  expect(lines.join('\n')).toContain('short');
  for (const line of lines) expect(line.trimEnd().length).toBeLessThanOrEqual(80);
});

test('Enter opens what an event is about, and u asks before it undoes an action', async () => {
  const events = [
    eventOf({
      atMs: 1,
      severity: 'warning',
      text: 'c1 is slow',
      kind: 'began',
      jump: { screen: 'client', clientId: 'c1' },
    }),
    eventOf({
      atMs: 2,
      severity: 'info',
      text: 'Banned x.',
      kind: 'action',
      action: { name: 'add-ban', outcome: 'done', changed: { kind: 'username', value: 'x' } },
    }),
    eventOf({
      atMs: 3,
      severity: 'info',
      text: 'Kicked y.',
      kind: 'action',
      action: { name: 'disconnect-client', outcome: 'done' },
    }),
  ];
  const monitor = createFakeMonitor(withEvents(events));
  const opened: DialogRequest[] = [];
  const rig = createRig(
    <DialogContext value={(request) => opened.push(request)}>
      <LogScreen {...propsOf(monitor, [80, 18])} />
    </DialogContext>,
    { columns: 80, rows: 19, theme: plainTheme },
  );
  await rig.until((text) => text.includes('Kicked y.'));
  rig.type('u');
  await rig.until(() => monitor.notices.includes('This action cannot be undone' as SafeText));
  rig.type('j');
  await rig.until((text) => /▸.*Banned x/u.test(text));
  rig.type('u');
  await rig.until(() => opened.length === 1);
  expect(opened[0]).toMatchObject({ kind: 'read', title: 'Undo' });
  rig.type('j');
  await rig.until((text) => /▸.*c1 is slow/u.test(text));
  rig.type('\r');
  await rig.until(() => monitor.places.length === 1);
  expect(monitor.places).toEqual([{ screen: 'client', clientId: 'c1' }]);
});
