import { useCallback, useMemo, useState } from 'react';
import {
  type Client,
  type Session,
  isSameConnection,
  isSameSession,
  type DisconnectTarget,
} from '../../../domain/client.ts';
import { steadyNowMs } from '../../../monitor/clock.ts';
import { isFullyRead } from '../../../monitor/scan/missing-rows.ts';
import type { Monitor, MonitorState, ScanState } from '../../../monitor/state.ts';
import { useReading, useStore } from '../../../tui/hooks/use-store.ts';
import { reading } from '../../../monitor/query/part.ts';
import { clientDetail } from '../detail.ts';
import { clientScan } from '../resource.ts';
import { sessionScan } from '../../sessions/resource.ts';

export type TargetChange = 'reconnected' | 'gone';

/** Returns the connections of a client, by what was read since `sinceMs`; `undefined` if nothing was. */
const connectionsSince = (state: MonitorState, clientId: string, sinceMs: number): readonly Client[] | undefined => {
  const { data, updatedAtMs = sinceMs } = reading(state, clientDetail, clientId);
  const scan = reading(state, clientScan);
  if (data !== undefined && updatedAtMs > sinceMs && !(data.clients instanceof Error)) return data.clients;
  const { startedAtMs = sinceMs, rows } = scan;
  return isFullyRead(scan) && startedAtMs > sinceMs ? rows.filter((client) => client.clientId === clientId) : undefined;
};

/** Returns what has become of a client since `sinceMs`; `undefined` if the state does not say. */
export const targetChange = (
  state: MonitorState,
  shown: Client,
  sinceMs: number,
): TargetChange | 'unchanged' | undefined => {
  const now = connectionsSince(state, shown.clientId, sinceMs);
  if (now === undefined) return undefined;
  if (now.some((client) => isSameConnection(client, shown))) return 'unchanged';
  return now.length === 0 ? 'gone' : 'reconnected';
};

/** Returns the change of a client since the dialog about it was opened, as last known. */
export const useTargetChange = (monitor: Monitor, shown: Client | undefined): TargetChange | undefined => {
  const [openedAtMs] = useState(() => steadyNowMs());
  const now = useStore(
    monitor.store,
    useCallback(
      (state: MonitorState) => (shown === undefined ? undefined : targetChange(state, shown, openedAtMs)),
      [shown, openedAtMs],
    ),
  );
  const [last, setLast] = useState(now);
  // While the list is read again the state tells nothing.
  if (now !== undefined && now !== last) setLast(now);
  return last === 'unchanged' ? undefined : last;
};

/**
 * Returns the ids that a full scan begun after `sinceMs` no longer lists as they were; `undefined` if there is none.
 */
const changedByScan = <T extends Client | Session>(
  scan: ScanState<T>,
  shown: readonly T[],
  isSame: (a: T, b: T) => boolean,
  sinceMs: number,
): readonly string[] | undefined => {
  const { startedAtMs = sinceMs } = scan;
  if (!isFullyRead(scan) || startedAtMs <= sinceMs) return undefined;
  const now = Map.groupBy(scan.rows, ({ clientId }) => clientId);
  return shown
    .filter((each) => !(now.get(each.clientId) ?? []).some((row) => isSame(row, each)))
    .map(({ clientId }) => clientId);
};

const none: ReadonlySet<string> = new Set();

/**
 * Returns the ids of targets (all of one kind) that changed since the dialog about them was opened, as last known.
 * @param before those that had changed by then
 */
export const useChangedSince = (
  monitor: Monitor,
  targets: readonly DisconnectTarget[],
  before: ReadonlySet<string>,
): ReadonlySet<string> => {
  const [openedAtMs] = useState(() => steadyNowMs());
  const clientList = useReading(monitor, clientScan);
  const sessionList = useReading(monitor, sessionScan);
  const now = useMemo(() => {
    const clients = targets.flatMap((target) => (target.kind === 'client' ? [target.client] : []));
    const sessions = targets.flatMap((target) => (target.kind === 'session' ? [target.session] : []));
    const changed =
      clients.length > 0
        ? changedByScan(clientList, clients, isSameConnection, openedAtMs)
        : changedByScan(sessionList, sessions, isSameSession, openedAtMs);
    return changed === undefined ? undefined : new Set(changed.filter((id) => !before.has(id)));
  }, [clientList, sessionList, targets, openedAtMs, before]);
  const [last, setLast] = useState(now);
  if (now !== undefined && now !== last) setLast(now);
  return last ?? none;
};
