import { AbortedError, type ApiError } from '../../api/errors.ts';
import type { ManagementApi } from '../../api/management-api.ts';
import type { StatName } from '../../domain/metrics.ts';
import type { NodeName, NodeStats } from '../../domain/node.ts';
import type { Clock } from '../clock.ts';
import { createQueueTrends } from '../history/queues.ts';
import { refreshOf } from '../history/steps.ts';
import type { Journal } from '../journal.ts';
import type { Poller } from '../polling/poller.ts';
import type { RequestScheduler } from '../polling/request-scheduler.ts';
import { type ScanName, type ScannedRows, type ScanState, wholeCluster } from '../state.ts';
import type { StateWriter } from '../store.ts';
import { sourceTexts } from '../texts.ts';
import { partialNote, scanLimits, unusableNote } from './missing-rows.ts';
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
  readonly tickMs: () => number;
  /** From the end of one scan to the start of the next; at least `tickMs`. */
  readonly intervalMs: (scan: ScanName) => number;
  readonly nodeStats: Poller<readonly NodeStats[]>;
  readonly freshMs: () => number;
  readonly onUnauthorized: (error: ApiError) => void;
  /** An error that the log has already. */
  readonly isKnown: (error: ApiError) => boolean;
  readonly maxRows?: number | undefined;
}

export type Scans = Readonly<Record<ScanName, Scan>>;

export const scanNames: readonly ScanName[] = ['clientScan', 'sessionScan', 'subscriptionScan', 'routeScan'];

export function createScans(options: ScansOptions): Scans {
  const { api, clock, writer, journal, schedule, random, intervalMs, nodeStats } = options;
  const queueTrends = createQueueTrends();
  const limits = { ...scanLimits, ...(options.maxRows !== undefined && { maxRows: options.maxRows }) };

  async function runningNodes(signal: AbortSignal): Promise<readonly NodeStats[]> {
    const { updatedAtMs } = nodeStats.state();
    const isFresh = updatedAtMs !== undefined && clock.nowMs() - updatedAtMs < options.freshMs();
    if (!isFresh) await nodeStats.refresh();
    if (signal.aborted) return [];
    const { data, error } = nodeStats.state();
    if (data !== undefined) return data.filter((node) => node.status !== 'stopped');
    throw error ?? nodeStats.lastError() ?? new AbortedError();
  }

  function nodesCounting(stat: StatName): (signal: AbortSignal) => Promise<readonly ScanNode[]> {
    return async (signal) => {
      const nodes = await runningNodes(signal);
      const counts = writer.state().resources.stats.data;
      return nodes.map(({ name, clients }) => ({
        name,
        expected: stat === 'clients' ? clients : counts?.get(name)?.[stat].count,
      }));
    };
  }

  /** Any node lists the routes of all nodes. */
  async function cluster(): Promise<readonly ScanNode[]> {
    const counts = [...(writer.state().resources.stats.data?.values() ?? [])].map((stats) => stats.routes.count);
    return [
      {
        name: wholeCluster,
        expected: counts.reduce<number | undefined>(
          (max, count) => (count === undefined ? max : Math.max(max ?? 0, count)),
          undefined,
        ),
      },
    ];
  }

  /** Aligns the scan with a tick of the cluster's values, so that both are drawn at once. */
  function untilTickMs(wantedMs: number): number {
    const { nextAttemptAtMs } = nodeStats.state();
    const everyMs = options.tickMs();
    const untilNextMs = nextAttemptAtMs === undefined ? undefined : nextAttemptAtMs - clock.nowMs();
    // Otherwise the machine was suspended, or the poller is backing off.
    const isKnown = untilNextMs !== undefined && untilNextMs >= 0 && untilNextMs <= everyMs;
    return isKnown ? untilNextMs + Math.round((wantedMs - untilNextMs) / everyMs) * everyMs : wantedMs;
  }

  function scan<Name extends ScanName>(
    name: Name,
    description: ScanDescription<ScannedRows[Name]>,
    listNodes: (signal: AbortSignal) => Promise<readonly ScanNode[]>,
  ): Scan {
    const source = (node?: NodeName): string => sourceTexts.scan(name, node === wholeCluster ? undefined : node);
    return createScan<ScannedRows[Name]>({
      api,
      clock,
      schedule,
      random,
      description,
      listNodes,
      limits,
      intervalMs: () => untilTickMs(intervalMs(name)),
      onState: (state: ScanState<ScannedRows[Name]>) => {
        writer.write({ [name]: state });
        if (name !== 'sessionScan') return;
        const { sessionScan: sessions, clientScan: clients, clientDetails } = writer.state();
        writer.write({
          queueTrends: queueTrends(sessions, clients, clientDetails, refreshOf(writer.state().capabilities)),
        });
      },
      onError: (error, node) => {
        if (error.kind === 'unauthorized') options.onUnauthorized(error);
        // That the node is down is known, and said once.
        else if (node === undefined || writer.state().seenNodes?.get(node)?.status !== 'stopped')
          journal.failure(source(node), error, options.isKnown(error));
      },
      onNodeRead: (node, coverage) => {
        journal.success(source());
        journal.success(source(node));
        journal.remark(`${source(node)}, cut`, coverage.cut, partialNote(source(node), coverage));
        journal.remark(
          source(node),
          coverage.unusable?.example,
          coverage.unusable && unusableNote(source(node), coverage.unusable, coverage.read),
        );
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
