import { NotRecordedError } from '../../api/errors.ts';
import { reading } from '../../monitor/query/part.ts';
import { isFullyRead } from '../../monitor/scan/missing-rows.ts';
import { emptyResource, type MonitorState, type ResourceState, type ScanState } from '../../monitor/state.ts';
import { queueTrends } from '../sessions/queues.ts';
import { sessionScan } from '../sessions/resource.ts';
import { subscriptionScan } from '../subscriptions/resource.ts';
import type { ClientDetail } from './client-detail.ts';
import { clientScan } from './resource.ts';

const rowsOf = <Row extends { readonly clientId: string }>(
  scan: ScanState<Row>,
  clientId: string,
): readonly Row[] | NotRecordedError => {
  const rows = scan.rows.filter((row) => row.clientId === clientId);
  // None in a list that has all is none.
  return rows.length > 0 || isFullyRead(scan) ? rows : new NotRecordedError();
};

/**
 * Returns a client as the lists of a recorded state have it: most clients were not being read by themselves.
 * `undefined` if no list has it.
 */
export function detailOfLists(
  state: Pick<MonitorState, 'readings'>,
  clientId: string,
): ResourceState<ClientDetail> | undefined {
  const scans = [reading(state, clientScan), reading(state, sessionScan), reading(state, subscriptionScan)] as const;
  const [clients, sessions, subscriptions] = [
    rowsOf(scans[0], clientId),
    rowsOf(scans[1], clientId),
    rowsOf(scans[2], clientId),
  ];
  const parts = [clients, sessions, subscriptions];
  if (!parts.some((rows) => !(rows instanceof NotRecordedError) && rows.length > 0)) return undefined;
  const readMs = scans.flatMap(({ finishedAtMs }, index) =>
    finishedAtMs === undefined || parts[index] instanceof NotRecordedError ? [] : [finishedAtMs],
  );
  return {
    ...emptyResource(),
    data: { clients, sessions, subscriptions, trend: reading(state, queueTrends).get(clientId)?.points },
    updatedAtMs: readMs.length === 0 ? undefined : Math.min(...readMs),
  };
}
