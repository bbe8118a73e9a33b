import { Box } from 'ink';
import { afterEach, expect, test } from 'vitest';
import type { EventKind } from '../../src/domain/event.ts';
import { awayAt, countChanges, type Presence, withInput } from '../../src/screens/status/away.ts';
import { MessageLine } from '../../src/screens/status/message.tsx';
import { eventOf, eventsIn } from '../support/events.ts';
import { readingsOf } from '../support/readings.ts';
import { createRig, endRigs, plainTheme } from '../tui/support/rig.tsx';
import { createFakeMonitor } from './list-fixtures.ts';

afterEach(endRigs);

test('nobody is there after ten minutes without a key, and back with the second key after that', () => {
  const minute = 60_000;
  const at = (presence: Presence, nowMs: number) => awayAt(presence, nowMs, 10 * minute);
  const typed = (presence: Presence, nowMs: number) => withInput(presence, nowMs, 10 * minute);
  const start: Presence = { lastMs: 0 };
  expect(at(start, 9 * minute)).toBeUndefined();
  const present = typed(start, 9 * minute);
  expect(at(present, 18 * minute)).toBeUndefined();
  expect(at(present, 19 * minute)).toEqual({ fromMs: 9 * minute, toMs: 19 * minute });
  expect(at(present, 40 * minute)).toEqual({ fromMs: 9 * minute, toMs: 40 * minute });
  // A key that wakes the screen takes nothing away.
  const back = typed(present, 41 * minute);
  expect(at(back, 42 * minute)).toEqual({ fromMs: 9 * minute, toMs: 41 * minute });
  expect(at(typed(back, 43 * minute), 43 * minute)).toBeUndefined();
});

test('each problem counts once, in the time in which it began or ended', () => {
  const at = (atMs: number, kind: EventKind, problem?: string) =>
    eventOf({ atMs, kind, ...(problem !== undefined && { problem }), text: 'x' });
  const events = [
    at(90, 'began', 'before'),
    at(100, 'began', 'at the last key'),
    at(110, 'began', 'a'),
    at(120, 'ended', 'a'),
    at(130, 'began', 'a'),
    at(140, 'alarm-set', 'alarm b'),
    at(150, 'worse', 'before'),
    at(160, 'ended', 'before'),
    at(170, 'node'),
    at(180, 'change'),
    at(190, 'change'),
    at(210, 'began', 'later'),
  ];
  expect(countChanges(events, { fromMs: 100, toMs: 200 })).toEqual({ began: 2, ended: 2, changed: 2 });
});

test('the line of messages says what happened meanwhile, and goes with the second key', async () => {
  const event = (problem: string, kind: 'began' | 'ended' | 'change') =>
    eventOf({ kind, problem, severity: 'warning', text: problem });
  const monitor = createFakeMonitor();
  const rig = createRig(
    <Box flexDirection="column" width={80} height={2}>
      <MessageLine monitor={monitor} notice={undefined} width={80} awayMs={300} />
    </Box>,
    {
      columns: 80,
      rows: 2,
      theme: plainTheme,
    },
  );
  // Later than the first drawing, with which the time begins.
  const atMs = Date.now() + 3_000;
  const events = [event('a', 'began'), event('b', 'began'), event('c', 'ended'), event('d', 'change')].map((each) => ({
    ...each,
    atMs,
  }));
  monitor.set(readingsOf({ timelineEvents: events }));
  await rig.until((text) =>
    text.includes('While you were away (0 s): 2 problems began, 1 ended, 1 change by others (L)'),
  );
  rig.type('j');
  rig.type('j');
  const lines = await rig.until((text) => !text.includes('away'));
  expect(lines.join('').trim()).toBe('');
  // The timeline says it, too, in its place: once.
  expect(eventsIn(monitor.store.getState()).filter(({ text }) => text.startsWith('You were away'))).toMatchObject([
    { severity: 'info', kind: 'note', text: 'You were away 0 s: 2 problems began, 1 ended, 1 change by others' },
  ]);
});
