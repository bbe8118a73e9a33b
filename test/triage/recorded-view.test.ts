import { expect, test } from 'vitest';
import type { OfflineCounters } from '../../src/resources/sessions/history.ts';
import { triageView, type TriageView } from '../../src/triage/view.ts';
import { sessionOf } from '../screens/list-fixtures.ts';
import { initialState } from '../../src/monitor/store.ts';
import { reading } from '../../src/monitor/query/part.ts';

test('of offline sessions is recorded what screens show, the same object while it is the same', () => {
  const recorded = triageView.recorded as (view: TriageView) => TriageView;
  const session = sessionOf('c1');
  const rates = { droppedPerSecond: 3 };
  const counters = { sinceMs: 5, isLive: true, last: session, movedMs: 7, steps: { rates, session, atMs: 9 } };
  const offline = new Map([['c1', counters as unknown as OfflineCounters]]);
  const view: TriageView = { ...reading(initialState(2), triageView), offline };
  const once = recorded(view);
  expect(once.offline).toEqual(new Map([['c1', { sinceMs: 5, isLive: true, steps: { rates } }]]));
  expect(recorded({ ...view, sessionReadings: 2 }).offline).toBe(once.offline);
  const other = new Map([...offline, ['c2', counters as unknown as OfflineCounters]]);
  expect(recorded({ ...view, offline: other }).offline.get('c1')).toBe(once.offline.get('c1'));
});
