import { useCallback, useState } from 'react';
import { isSameConnection } from '../../actions/clients.ts';
import type { Client } from '../../domain/client.ts';
import { isFullyRead } from '../../monitor/scan/missing-rows.ts';
import type { Monitor, MonitorState } from '../../monitor/state.ts';
import { useStore } from '../hooks/use-store.ts';

export type TargetChange = 'reconnected' | 'gone';

/** The connections of a client, by what was read since `sinceMs`; `undefined` if nothing was. */
const connectionsSince = ({ clientDetails, clientScan }: MonitorState, clientId: string, sinceMs: number): readonly Client[] | undefined => {
  const { data, updatedAtMs = sinceMs } = clientDetails.get(clientId) ?? {};
  if (data !== undefined && updatedAtMs > sinceMs && !(data.clients instanceof Error)) return data.clients;
  const { startedAtMs = sinceMs, rows } = clientScan;
  return isFullyRead(clientScan) && startedAtMs > sinceMs ? rows.filter((client) => client.clientId === clientId) : undefined;
};

/** What has become of a client since `sinceMs`, wall clock; `undefined` if the state does not tell. */
export const targetChange = (state: MonitorState, shown: Client, sinceMs: number): TargetChange | 'unchanged' | undefined => {
  const now = connectionsSince(state, shown.clientId, sinceMs);
  if (now === undefined) return undefined;
  if (now.some((client) => isSameConnection(client, shown))) return 'unchanged';
  return now.length === 0 ? 'gone' : 'reconnected';
};

/** The change of a client since the dialog about it was opened, as last known. */
export const useTargetChange = (monitor: Monitor, shown: Client | undefined): TargetChange | undefined => {
  const [openedAtMs] = useState(() => Date.now());
  const now = useStore(monitor.store, useCallback((state: MonitorState) => (shown === undefined ? undefined : targetChange(state, shown, openedAtMs)), [shown, openedAtMs]));
  const [last, setLast] = useState(now);
  // While the list is read again the state tells nothing.
  if (now !== undefined && now !== last) setLast(now);
  return last === 'unchanged' ? undefined : last;
};
