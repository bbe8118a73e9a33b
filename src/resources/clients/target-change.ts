import { type Client, isSameConnection } from '../../domain/client.ts';
import { isFullyRead } from '../../monitor/scan/missing-rows.ts';
import type { MonitorState } from '../../monitor/state.ts';
import { reading } from '../../monitor/query/part.ts';
import { clientDetail } from './detail.ts';
import { clientScan } from './resource.ts';

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
