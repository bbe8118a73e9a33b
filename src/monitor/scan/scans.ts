import { AbortedError, type ApiError } from '../../api/errors.ts';
import type { ManagementApi } from '../../api/management-api.ts';
import type { StatName } from '../../domain/metrics.ts';
import type { NodeName, NodeStats } from '../../domain/node.ts';
import type { Clock } from '../clock.ts';
import type { Journal } from '../journal.ts';
import type { Poller } from '../polling/poller.ts';
import type { RequestScheduler } from '../polling/request-scheduler.ts';
import { type ScanName, type ScannedRows, type ScanState, wholeCluster } from '../state.ts';
import type { StateWriter } from '../store.ts';
import { cutNote, scanLimits, unusableNote } from './left-out.ts';
import { clientScan, routeScan, type ScanDescription, sessionScan, subscriptionScan } from './lists.ts';
import type { ScanNode } from './scan-node.ts';
import { createScan, type Scan } from './scan.ts';

export interface ScansOptions {
  readonly api: ManagementApi;
  readonly clock: Clock;
  readonly writer: StateWriter;
  readonly journal: Journal;
  readonly schedule: RequestScheduler['schedule'];
  readonly random: () => number;
  /** From one reading of the figures to the next. */
  readonly tickMs: () => number;
  /** From the end of one scan of a list to the beginning of the next, about; not less than `tickMs`. */
  readonly intervalMs: (scan: ScanName) => number;
  /** Tells which nodes there are. */
  readonly nodeStats: Poller<readonly NodeStats[]>;
  /** How old the list of nodes may be. */
  readonly freshMs: () => number;
  readonly onUnauthorized: (error: ApiError) => void;
  /** How many rows of one list are kept; as `scanLimits` says unless given. */
  readonly maxRows?: number | undefined;
}

export type Scans = Readonly<Record<ScanName, Scan>>;

/** What a list is called to the operator. */
export const scanTitles: Readonly<Record<ScanName, string>> = {
  clientScan: 'clients',
  sessionScan: 'sessions',
  subscriptionScan: 'subscriptions',
  routeScan: 'routes',
};

export const scanNames: readonly ScanName[] = ['clientScan', 'sessionScan', 'subscriptionScan', 'routeScan'];

/** The scans of all lists. One runs at a time: the broker never serves two of them at once. */
export function createScans(options: ScansOptions): Scans {
  const { api, clock, writer, journal, schedule, random, intervalMs, nodeStats } = options;
  const limits = { ...scanLimits, ...(options.maxRows !== undefined && { maxRows: options.maxRows }) };

  async function runningNodes(signal: AbortSignal): Promise<readonly NodeStats[]> {
    const { updatedAtMs } = nodeStats.state();
    const isFresh = updatedAtMs !== undefined && clock.nowMs() - updatedAtMs < options.freshMs();
    if (!isFresh) await nodeStats.refresh();
    if (signal.aborted) return [];
    const { data, error } = nodeStats.state();
    if (data !== undefined) return data.filter((node) => node.status !== 'stopped');
    throw error ?? new AbortedError();
  }

  function nodesCounting(stat: StatName): (signal: AbortSignal) => Promise<readonly ScanNode[]> {
    return async (signal) => {
      const nodes = await runningNodes(signal);
      const counts = writer.state().resources.stats.data;
      return nodes.map(({ name, clients }) => ({ name, expected: stat === 'clients' ? clients : counts?.get(name)?.[stat].count }));
    };
  }

  /** Any node answers for all of them, so not even the list of nodes is needed. */
  async function cluster(): Promise<readonly ScanNode[]> {
    const counts = [...(writer.state().resources.stats.data?.values() ?? [])].map((stats) => stats.routes.count);
    return [{ name: wholeCluster, expected: counts.reduce<number | undefined>((most, count) => (count === undefined ? most : Math.max(most ?? 0, count)), undefined) }];
  }

  /** Moves the beginning of the next scan to a tick of the figures, so that both are read, and drawn, at once. */
  function untilTickMs(wantedMs: number): number {
    const { nextAttemptAtMs } = nodeStats.state();
    const everyMs = options.tickMs();
    const untilNextMs = nextAttemptAtMs === undefined ? undefined : nextAttemptAtMs - clock.nowMs();
    // Otherwise the wall clock was set, or what failed is tried again.
    const isKnown = untilNextMs !== undefined && untilNextMs >= 0 && untilNextMs <= everyMs;
    return isKnown ? untilNextMs + Math.round((wantedMs - untilNextMs) / everyMs) * everyMs : wantedMs;
  }

  function scan<Name extends ScanName>(
    name: Name, description: ScanDescription<ScannedRows[Name]>, listNodes: (signal: AbortSignal) => Promise<readonly ScanNode[]>,
  ): Scan {
    const title = scanTitles[name];
    const source = (node: NodeName): string => (node === wholeCluster ? title : `${title} of ${node}`);
    return createScan<ScannedRows[Name]>({
      api, clock, schedule, random, description, listNodes, limits,
      intervalMs: () => untilTickMs(intervalMs(name)),
      onState: (state: ScanState<ScannedRows[Name]>) => { writer.write({ [name]: state }); },
      onError: (error, node) => {
        if (error.kind === 'unauthorized') options.onUnauthorized(error);
        else journal.failure(node === undefined ? title : source(node), error);
      },
      onNodeRead: (node, coverage) => {
        journal.success(title);
        journal.success(source(node));
        journal.remark(`${source(node)}, cut`, coverage.cut, cutNote(source(node), coverage));
        journal.remark(source(node), coverage.unusable?.example, coverage.unusable && unusableNote(source(node), coverage.unusable, coverage.read));
      },
    });
  }

  return {
    clientScan: scan('clientScan', clientScan, nodesCounting('clients')),
    sessionScan: scan('sessionScan', sessionScan, nodesCounting('sessions')),
    subscriptionScan: scan('subscriptionScan', subscriptionScan, nodesCounting('subscriptions')),
    routeScan: scan('routeScan', routeScan, cluster),
  };
}
