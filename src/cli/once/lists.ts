import { type ApiError, TimeoutError } from '../../api/errors.ts';
import type { ManagementApi } from '../../api/management-api.ts';
import { type Clock, sleep } from '../../monitor/clock.ts';
import type { RequestScheduler } from '../../monitor/polling/request-scheduler.ts';
import type { ScanNode } from '../../monitor/scan/scan-node.ts';
import type { MonitorState, ScanState } from '../../monitor/state.ts';
import { createScanReader } from './scan-once.ts';
import { clientScan } from '../../resources/clients/resource.ts';
import { sessionScan } from '../../resources/sessions/resource.ts';
import { reading, watching, withReading } from '../../monitor/query/part.ts';
import type { Scan } from '../../monitor/query/query.ts';
import { nodeStats } from '../../resources/nodes/resource.ts';

/** Limits the rows of a list that `--once` reads. A longer list is not read, because half a list proves nothing. */
export const maxOnceRows = 20_000;

export type OnceList = 'sessions' | 'clients';

export interface ListsOptions {
  readonly api: ManagementApi;
  readonly clock: Clock;
  readonly schedule: RequestScheduler['schedule'];
  /** Aborts at the deadline. */
  readonly signal: AbortSignal;
  readonly deadlineMs: number | undefined;
  /** Min time between the two readings of the sessions; without it they are read once. */
  readonly rateSeconds: number | undefined;
  readonly maxRows: number;
  /** Returns the state, with the statistics of the nodes. */
  readonly state: () => MonitorState;
  readonly write: (patch: Partial<MonitorState>) => void;
  readonly onError: (list: OnceList, error: ApiError) => void;
  readonly onTooLong: (list: OnceList) => void;
}

interface OnceScan {
  /** Reads the list to its end; `undefined` if it is too long or the deadline passed. */
  read(): Promise<ScanState<unknown>['phase'] | undefined>;
  stop(): void;
}

function createOnceScan<Row>(list: OnceList, scan: Scan<Row>, options: ListsOptions): OnceScan {
  const { api, clock, schedule, signal, deadlineMs, maxRows, state, write, onError, onTooLong } = options;
  const nodes = runningNodes(state(), scan);
  const reader = createScanReader({
    api,
    clock,
    schedule,
    scan,
    nodes,
    maxRows,
    onError: (error) => {
      onError(list, error);
    },
  });

  return {
    async read() {
      if (nodes.reduce((sum, { expected = 0 }) => sum + expected, 0) > maxRows) {
        onTooLong(list);
        return undefined;
      }
      if (!signal.aborted) {
        signal.addEventListener('abort', reader.stop, { once: true });
        const ended = await reader.read();
        signal.removeEventListener('abort', reader.stop);
        if ([...ended.leftOut.values()].some(({ cut }) => cut === 'rows')) {
          onTooLong(list);
          return undefined;
        }
        write({ ...watching(state(), scan), ...withReading(state(), scan, ended) });
        if (ended.phase !== 'aborted') return ended.phase;
      }
      onError(list, new TimeoutError(deadlineMs ?? 0));
      return undefined;
    },
    stop() {
      reader.stop();
    },
  };
}

const runningNodes = (state: MonitorState, { expected }: Pick<Scan<unknown>, 'expected'>): readonly ScanNode[] =>
  (reading(state, nodeStats).data ?? [])
    .filter(({ status }) => status !== 'stopped')
    .map(({ name }) => ({ name, expected: expected(state, name) }));

/**
 * Reads the sessions, the clients, and the sessions again, with the scans of the monitor. In this order a session
 * without a client is known to be offline.
 */
export async function readLists(options: ListsOptions): Promise<void> {
  const { clock, signal, rateSeconds } = options;
  const sessions = createOnceScan('sessions', sessionScan, options);
  const clients = createOnceScan('clients', clientScan, options);
  const phase = await sessions.read();
  const readAtMs = clock.monotonicMs();
  if (!signal.aborted) await clients.read();
  // A list that failed once is not worth a second load.
  if (phase === 'complete' && rateSeconds !== undefined) {
    await sleep(clock, Math.max(0, readAtMs + rateSeconds * 1_000 - clock.monotonicMs()), signal);
    await sessions.read();
  }
  sessions.stop();
  clients.stop();
}
