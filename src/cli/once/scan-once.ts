import type { ApiError } from '../../api/errors.ts';
import type { ManagementApi } from '../../api/management-api.ts';
import type { Clock } from '../../monitor/clock.ts';
import type { RequestScheduler } from '../../monitor/polling/request-scheduler.ts';
import { scanLimits } from '../../monitor/scan/missing-rows.ts';
import type { ScanNode } from '../../monitor/scan/scan-node.ts';
import { createScanTask } from '../../monitor/scan/scan.ts';
import type { ScanState } from '../../monitor/state.ts';
import type { Scan } from '../../monitor/query/query.ts';

export interface ScanReaderOptions<Row> {
  readonly api: ManagementApi;
  readonly clock: Clock;
  readonly schedule: RequestScheduler['schedule'];
  readonly scan: Scan<Row>;
  readonly nodes: readonly ScanNode[];
  readonly maxRows: number;
  readonly onError: (error: ApiError) => void;
  /** Called with rows that were not there before, while the list is read. */
  readonly onRows?: ((rows: readonly Row[]) => void) | undefined;
}

export interface ScanReader<Row> {
  /** Reads the list to its end, or until it is stopped; then its phase is `aborted`. */
  read(): Promise<ScanState<Row>>;
  stop(): void;
}

/** Longer than the program runs, so that only `read` starts a scan. */
const intervalMs = 3_600_000;

/** Creates a scan of the monitor that reads on demand. */
export function createScanReader<Row>({ nodes, maxRows, onRows, ...rest }: ScanReaderOptions<Row>): ScanReader<Row> {
  let onEnd: ((ended: ScanState<Row>) => void) | undefined;
  let isStarted = false;
  const given = new Set<string>();

  function give(rows: readonly Row[]): void {
    const added = rows.filter((row) => !given.has(rest.scan.identity(row)));
    for (const row of added) given.add(rest.scan.identity(row));
    if (added.length > 0) onRows?.(added);
  }

  const task = createScanTask<Row>({
    ...rest,
    random: () => 0,
    intervalMs: () => intervalMs,
    limits: { ...scanLimits, maxRows },
    listNodes: () => Promise.resolve(nodes),
    onState: (next) => {
      if (onRows !== undefined) give(next.rows);
      if (next.phase !== 'running') onEnd?.(next);
    },
  });
  return {
    read: () =>
      new Promise((resolve) => {
        onEnd = (ended) => {
          onEnd = undefined;
          resolve(ended);
        };
        if (isStarted) task.refresh();
        else task.start();
        isStarted = true;
      }),
    stop() {
      task.stop();
    },
  };
}
