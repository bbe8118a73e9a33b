import { selectFreshness } from '../../resources/freshness.ts';
import { selectNodes } from '../../resources/nodes/select.ts';
import { selectCurrentRate, selectRateSeries } from '../../resources/metrics/rates.ts';
import { selectTotals } from '../../resources/statistics/select.ts';
import type { Role } from '../../terminal/theme.ts';
import type { Finding } from '../../triage/problem.ts';
import type { SafeText } from '../../terminal/safe-text.ts';
import { type Exposure, exposureTexts } from '../../tui/frame/screen.ts';
import { reading } from '../../monitor/query/part.ts';
import { nodeStats } from '../../resources/nodes/resource.ts';
import { selectReport, type TriageReport } from '../../triage/view.ts';
import type { TriagedMonitor } from '../../triage/triaged-monitor.ts';

/** A context of the configuration, as far as it is connected. */
export interface Cluster {
  readonly name: string;
  readonly url: string;
  /** The role of the cluster's name. */
  readonly role?: Role | undefined;
  readonly connection:
    | { readonly kind: 'connecting' }
    /** `reason` is a sentence. */
    | { readonly kind: 'failed'; readonly reason: string }
    | {
        readonly kind: 'watched';
        readonly monitor: Pick<TriagedMonitor, 'store' | 'refresh' | 'followProblems'>;
        readonly latencyMs: () => number | undefined;
        readonly exposure?: Exposure | undefined;
      };
}

/** A row of the list. `undefined` is unknown. */
export interface ClusterRow extends Pick<Cluster, 'name' | 'url' | 'role'> {
  /** Ways in which the password may leak. */
  readonly exposed: readonly SafeText[];
  readonly health: 'connecting' | 'failed' | 'rejected' | 'unreachable' | 'critical' | 'warning' | 'checking' | 'ok';
  /** Says why there are no figures, as a sentence; not escaped. */
  readonly reason: string | undefined;
  /** Problems, worst first. */
  readonly findings: readonly Finding[];
  readonly runningNodes: number | undefined;
  readonly nodes: number | undefined;
  readonly clients: number | undefined;
  readonly inPerSecond: number | undefined;
  readonly outPerSecond: number | undefined;
  readonly latencyMs: number | undefined;
  readonly ageSeconds: number | undefined;
}

const unknown = {
  exposed: [],
  findings: [],
  runningNodes: undefined,
  nodes: undefined,
  clients: undefined,
  inPerSecond: undefined,
  outPerSecond: undefined,
  latencyMs: undefined,
  ageSeconds: undefined,
} as const;

const healthOf = ({ findings, isAllClear }: TriageReport): ClusterRow['health'] => {
  const worst = findings.find(({ acknowledged }) => acknowledged === undefined);
  if (worst !== undefined) return worst.severity;
  return isAllClear || findings.length > 0 ? 'ok' : 'checking';
};

export function clusterRow({ name, url, role, connection }: Cluster, nowMs: number): ClusterRow {
  const place = { name, url, role };
  if (connection.kind !== 'watched')
    return {
      ...place,
      ...unknown,
      health: connection.kind,
      reason: connection.kind === 'failed' ? connection.reason : undefined,
    };
  const { monitor, latencyMs, exposure } = connection;
  const exposed = exposure === undefined ? [] : exposureTexts(exposure);
  const state = monitor.store.getState();
  const read = reading(state, nodeStats);
  const { ageSeconds, stale } = selectFreshness(state, nowMs);
  const isUnreachable = read.error !== undefined && (read.data === undefined || stale.includes('nodeStats'));
  if (isUnreachable)
    return {
      ...place,
      ...unknown,
      exposed,
      ageSeconds,
      health: read.error?.kind === 'unauthorized' ? 'rejected' : 'unreachable',
      reason: read.error?.message,
    };
  const report = selectReport(state);
  const nodes = read.data === undefined ? undefined : selectNodes(state);
  const rate = (metric: 'messages.received' | 'messages.sent'): number | undefined =>
    selectCurrentRate(selectRateSeries(state, metric), state.intervalSeconds);
  return {
    ...place,
    health: nodes === undefined ? 'connecting' : healthOf(report),
    reason: undefined,
    exposed,
    findings: report.problems,
    runningNodes: nodes?.filter(({ status }) => status === 'running').length,
    nodes: nodes?.length,
    clients: selectTotals(state).clients.value,
    inPerSecond: rate('messages.received'),
    outPerSecond: rate('messages.sent'),
    latencyMs: latencyMs(),
    ageSeconds,
  };
}

const healthOrder: readonly ClusterRow['health'][] = [
  'ok',
  'connecting',
  'checking',
  'failed',
  'warning',
  'rejected',
  'critical',
  'unreachable',
];

/** Ranks how bad a cluster is; larger is worse. */
export const clusterTrouble = ({ health, findings }: ClusterRow): number =>
  healthOrder.indexOf(health) * 1_000 + findings.length;
