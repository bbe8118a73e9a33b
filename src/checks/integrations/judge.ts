import type { IntegrationKind, LossReason } from '../../domain/integrations.ts';
import type { NodeName } from '../../domain/node.ts';
import { isNotOffered } from '../../api/errors.ts';
import { isWatched, reading } from '../../monitor/query/part.ts';
import type { MonitorState } from '../../monitor/state.ts';
import { integrations } from '../../resources/integrations/resource.ts';
import { type IntegrationRow, selectIntegrations } from '../../resources/integrations/select.ts';
import type { CheckInput, Judgement } from '../../triage/check.ts';
import type { Found, Problem } from '../../triage/problem.ts';
import { areAllNodesRead } from '../../triage/reasons.ts';
import { causeKey } from '../causes.ts';
import { type Severity, triageThresholds } from '../../triage/thresholds.ts';

/** The loss of a part now, and since the broker began to count. */
export interface Loss {
  readonly id: string;
  readonly lost: number;
  readonly matched: number;
  readonly perSecond: number;
  /** Of the messages of the last minute. */
  readonly share: number;
  readonly mostly: LossReason | undefined;
  readonly queued: number | undefined;
}

interface Down {
  readonly kind: Exclude<IntegrationKind, 'rule'>;
  readonly id: string;
  /** The nodes on which it is down, of the `nodes` that have it. */
  readonly on: readonly NodeName[];
  readonly nodes: number;
  readonly reason: string | undefined;
  /** The losses of its actions, the worst first. */
  readonly losing: readonly Loss[];
  readonly actions: number;
  readonly sources: number;
}

type IntegrationProblem =
  | Problem<'integration-down', Down>
  | Problem<'action-losing', Loss & { readonly on: readonly NodeName[]; readonly nodes: number }>
  | Problem<'rule-failing', Loss & { readonly sql: string | undefined }>;

interface Passed {
  readonly connectors: number;
  readonly actions: number;
  readonly rules: number;
}

interface IntegrationReason {
  readonly code: 'integrations-unavailable' | 'integrations-unread' | 'integration-rates';
}

/** A smaller share of the messages is no problem. */
const minLossShare = 0.01;
/** Most of what comes is lost. */
const criticalLossShare = 0.5;

function lossOf({ part, lost, matched, mostly, queued, rates }: IntegrationRow): Loss | undefined {
  if (rates?.lost === undefined || rates.lost <= 0 || lost === undefined || matched === undefined) return undefined;
  // What is lost now may have come before, and waited.
  const share = rates.matched === undefined || rates.matched <= rates.lost ? 1 : rates.lost / rates.matched;
  return share < minLossShare
    ? undefined
    : { id: part.id, lost, matched, perSecond: rates.lost, share, mostly: rates.mostly ?? mostly, queued };
}

const severityOfLoss = ({ share, perSecond }: Loss): Severity =>
  share >= criticalLossShare || perSecond >= triageThresholds.dropsPerSecond.critical ? 'critical' : 'warning';

const keyOf = ({ part }: IntegrationRow): string => causeKey(part.alarmCause ?? `${part.kind}:${part.id}`);

/** Finds parts that are down by themselves: actions and sources of a connector that is down are so because of it. */
function downParts(rows: readonly IntegrationRow[]): readonly Found<IntegrationProblem>[] {
  return rows.flatMap((row): readonly Found<IntegrationProblem>[] => {
    const { part, down, cause, reason } = row;
    if (part.kind === 'rule' || down.length === 0 || cause !== undefined) return [];
    const own = rows.filter((other) => other.part.connector === part.id && part.kind === 'connector');
    const losing = [row, ...own].flatMap((each) => lossOf(each) ?? []).toSorted((a, b) => b.perSecond - a.perSecond);
    return [
      {
        key: keyOf(row),
        severity: losing.length > 0 ? 'critical' : 'warning',
        code: 'integration-down',
        evidence: {
          kind: part.kind,
          id: part.id,
          on: down,
          nodes: part.nodes.size,
          reason,
          losing,
          actions: own.filter((each) => each.part.kind === 'action').length,
          sources: own.filter((each) => each.part.kind === 'source').length,
        },
      },
    ];
  });
}

function losingParts(
  rows: readonly IntegrationRow[],
  down: readonly Found<IntegrationProblem>[],
): readonly Found<IntegrationProblem>[] {
  const isOpen = new Set(down.map(({ key }) => key));
  return rows.flatMap((row): readonly Found<IntegrationProblem>[] => {
    const loss = row.part.kind === 'action' || row.part.kind === 'rule' ? lossOf(row) : undefined;
    if (loss === undefined) return [];
    const facts = { key: `losing ${row.key}`, severity: severityOfLoss(loss) };
    if (row.part.kind === 'rule') return [{ ...facts, code: 'rule-failing', evidence: { ...loss, sql: row.part.sql } }];
    const connector = rows.find(({ part }) => part.kind === 'connector' && part.id === row.part.connector);
    const causes = [connector === undefined ? undefined : keyOf(connector), keyOf(row)];
    const on = [...row.ratesByNode].flatMap(([node, { lost = 0 }]) => (lost > 0 ? [node] : []));
    return [
      {
        ...facts,
        code: 'action-losing',
        evidence: { ...loss, on, nodes: row.part.nodes.size },
        partOf: causes.find((key) => key !== undefined && isOpen.has(key)),
      },
    ];
  });
}

/** Whether the API has no integrations, also where the release is too old. */
const hasNone = (state: MonitorState): boolean => {
  const { error } = reading(state, integrations);
  return state.capabilities?.integrations !== true || (error !== undefined && isNotOffered(error));
};

const count = (rows: readonly IntegrationRow[], kind: IntegrationKind): number =>
  rows.filter(({ part }) => part.kind === kind && part.isEnabled !== false).length;

/** Finds connectors that are down, actions that lose messages, and rules that fail. Only the first raise alarms. */
export function judgeIntegrations({ state }: CheckInput): Judgement<IntegrationProblem, Passed, IntegrationReason> {
  if (hasNone(state)) return { findings: [], unchecked: [{ code: 'integrations-unavailable' }], isNotOffered: true };
  const { updatedAtMs } = reading(state, integrations);
  const rows = selectIntegrations(state);
  const down = downParts(rows ?? []);
  const isCounted = ({ part }: IntegrationRow): boolean =>
    part.isEnabled !== false && (part.kind === 'action' || part.kind === 'rule') && part.nodes.size > 0;
  const unrated = (rows ?? []).filter((row) => isCounted(row) && row.rates === undefined);
  return {
    findings: [...down, ...losingParts(rows ?? [], down)],
    unchecked:
      rows === undefined
        ? [{ code: 'integrations-unread' }]
        : unrated.length > 0
          ? [{ code: 'integration-rates' }]
          : [],
    passed:
      rows === undefined
        ? undefined
        : { connectors: count(rows, 'connector'), actions: count(rows, 'action'), rules: count(rows, 'rule') },
    refutes: ({ code, key }) =>
      rows !== undefined &&
      areAllNodesRead(state, reading(state, integrations)) &&
      (code === 'integration-down' || !unrated.some((row) => `losing ${row.key}` === key)),
    reading: { noun: 'integrations', atMs: updatedAtMs, isWatched: isWatched(state, integrations) },
  };
}
