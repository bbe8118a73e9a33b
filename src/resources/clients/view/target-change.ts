import { useMemo, useState } from 'react';
import {
  type Client,
  type Session,
  isSameConnection,
  isSameSession,
  type DisconnectTarget,
} from '../../../domain/client.ts';
import { steadyNowMs } from '../../../monitor/clock.ts';
import { isFullyRead } from '../../../monitor/scan/missing-rows.ts';
import type { Monitor, ScanState } from '../../../monitor/state.ts';
import { useReading } from '../../../tui/hooks/use-store.ts';
import { clientScan } from '../resource.ts';
import { sessionScan } from '../../sessions/resource.ts';

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
