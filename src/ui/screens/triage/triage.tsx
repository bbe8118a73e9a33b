import { type ReactNode, useMemo } from 'react';
import type { Monitor, Watched } from '../../../monitor/state.ts';
import type { Jump } from '../../../triage/check.ts';
import { triageOf, type TriageWatch, triageWatches } from '../../../triage/triage.ts';
import { Rows } from '../../components/painted.tsx';
import { useTheme } from '../../components/theme-context.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { useNow } from '../../hooks/use-now.ts';
import { useStore, useWatches, wholeState } from '../../hooks/use-store.ts';
import { useKeys } from '../../keys/use-keys.ts';
import { createListState, selectCursorId, useListMemory } from '../../list/list-state.ts';
import { stopScan } from '../../list/scan-view.ts';
import { useListKeys, useListState, useListSync } from '../../list/use-list-state.ts';
import { type Place, placeKey } from '../../navigation.ts';
import { triageItems, triageLines } from './lines.ts';

/** Watches those of triage's sources that share an interval. */
const useTriageWatch = (monitor: Monitor, wanted: readonly TriageWatch[], isPart: (watched: Watched) => boolean): void => {
  const part = wanted.filter(({ watched }) => isPart(watched));
  useWatches(monitor, part.map(({ watched }) => watched), part[0]?.everySeconds);
};

const initialSort = { columnId: '', isReversed: false };

/** The ordered checks with evidence, duration and links to the rows behind them. */
export const TriageScreen = ({ monitor, width, height, go, notify }: ScreenProps): ReactNode => {
  const theme = useTheme();
  const state = useStore(monitor.store, wholeState);
  const nowMs = useNow(1000);
  const triage = triageOf(monitor);
  const report = useMemo(() => triage.update(state, nowMs), [triage, state, nowMs]);
  const wanted = triageWatches(state, triage.sessionReadings(), report.findings.some(({ check }) => check === 'fanOut'));
  // Separate watches: a changed list is watched again as a whole, so one kind must not restart another.
  useTriageWatch(monitor, wanted, ({ kind }) => kind === 'resource');
  useTriageWatch(monitor, wanted, ({ kind }) => kind === 'sessionScan');
  useTriageWatch(monitor, wanted, ({ kind }) => kind === 'clientScan');
  useTriageWatch(monitor, wanted, ({ kind }) => kind === 'alarms');
  useTriageWatch(monitor, wanted, ({ kind }) => kind === 'subscriptionScan');
  useTriageWatch(monitor, wanted, ({ kind }) => kind === 'settings');
  useTriageWatch(monitor, wanted, ({ kind }) => kind === 'nodePlugins');
  const items = useMemo(() => triageItems(report), [report]);
  const ids = useMemo(() => items.map(({ id }) => id), [items]);
  const control = useListState(initialSort, placeKey({ screen: 'triage' }));
  const list = useListSync(control, ids, height);
  const cursorId = selectCursorId(list);
  const chosen = items.find(({ id }) => id === cursorId);
  const jump = useJump(go);
  useListKeys(control, {
    onOpen: chosen === undefined ? undefined : () => { jump(chosen.jump, nowMs); },
  });
  useKeys('scan', {
    abortScan: () => { notify(stopScan(monitor)); },
  });
  return <Rows lines={triageLines(theme, width, height, report, items, list.cursorIndex, nowMs)} />;
};

/** The place of a jump made at `nowMs`, wall clock. Its sort and row apply to this visit only. */
export const placeOf = ({ screen, node, clientId, topic, found, sort, row }: Jump, nowMs: number): Place => {
  const visitId = sort === undefined && row === undefined ? {} : { visitId: nowMs };
  switch (screen) {
    case 'node': return node === undefined ? { screen: 'nodes' } : { screen, node };
    case 'settings': return { screen, ...visitId };
    case 'log': return { screen };
    default:
      if (clientId !== undefined) return { screen, scope: { kind: 'client', clientId } };
      if (found !== undefined) return { screen, scope: { kind: 'found', name: found.name, atMs: nowMs, clientIds: new Set(found.clientIds) } };
      if (topic !== undefined) return { screen, scope: { kind: 'topic', topic } };
      return node === undefined ? { screen, ...visitId } : { screen, scope: { kind: 'node', node }, ...visitId };
  }
};

const unsorted = { columnId: '', isReversed: false };

/** Goes to the rows behind a finding, sorted to show them first, with the cursor on the one meant. */
export const useJump = (go: (place: Place) => void): ((jump: Jump, nowMs: number) => void) => {
  const memory = useListMemory();
  return (jump, nowMs) => {
    const place = placeOf(jump, nowMs);
    const { sort, row } = jump;
    if (sort !== undefined || row !== undefined) memory?.set(placeKey(place), createListState(sort ?? unsorted, row));
    go(place);
  };
};
