import {
  type Integration,
  type IntegrationCounters,
  type IntegrationOnNode,
  lostOf,
  type LossReason,
} from '../../domain/integrations.ts';
import { memoise } from '../../domain/memoise.ts';
import { compareNatural } from '../../domain/natural-order.ts';
import type { ByNode, NodeName } from '../../domain/node.ts';
import { reading } from '../../monitor/query/part.ts';
import type { MonitorState } from '../../monitor/state.ts';
import { integrationKey, type IntegrationRates } from './rates.ts';
import { integrationRates, integrations } from './resource.ts';

/** A part of the data integration, its nodes together. Sums lack what any of its nodes lacks. */
export interface IntegrationRow {
  readonly key: string;
  readonly part: Integration;
  /** The nodes on which it is enabled and not connected. */
  readonly down: readonly NodeName[];
  /** The connector of the part, if it is not connected there either: that is why the part is not. */
  readonly cause: Integration | undefined;
  readonly reason: string | undefined;
  readonly matched: number | undefined;
  readonly succeeded: number | undefined;
  readonly lost: number | undefined;
  readonly mostly: LossReason | undefined;
  readonly queued: number | undefined;
  readonly rates: IntegrationRates | undefined;
  readonly ratesByNode: ByNode<IntegrationRates>;
  /** Larger is worse; parts of one connector follow each other. */
  readonly rank: number;
}

/** Whether a part is not connected. One that just began to connect has no reason yet. */
const isDown = ({ status, reason }: IntegrationOnNode): boolean =>
  status === 'disconnected' || (status === 'connecting' && reason !== undefined);

/** Adds up what nodes have; `undefined` if one of them has no value. */
const sumOf = (values: readonly (number | undefined)[]): number | undefined =>
  values.length === 0
    ? undefined
    : values.reduce((sum, value) => (sum === undefined || value === undefined ? undefined : sum + value), 0);

function sumOfRates(part: Integration, byNode: ByNode<IntegrationRates>): IntegrationRates | undefined {
  const counting = [...part.nodes].filter(([, { counters }]) => counters !== undefined);
  const each = counting.flatMap(([node]) => byNode.get(node) ?? []);
  if (each.length === 0 || each.length < counting.length) return undefined;
  const worst = each.toSorted((a, b) => (b.lost ?? 0) - (a.lost ?? 0))[0];
  return {
    seconds: Math.max(...each.map(({ seconds }) => seconds)),
    matched: sumOf(each.map(({ matched }) => matched)),
    succeeded: sumOf(each.map(({ succeeded }) => succeeded)),
    lost: sumOf(each.map(({ lost }) => lost)),
    mostly: worst?.mostly,
  };
}

function mostOf(counters: readonly IntegrationCounters[]): LossReason | undefined {
  const sums = new Map<LossReason, number>();
  for (const { lost } of counters)
    for (const [reason, count] of Object.entries(lost) as [LossReason, number][])
      sums.set(reason, (sums.get(reason) ?? 0) + count);
  const [most] = [...sums].filter(([, count]) => count > 0).toSorted(([, a], [, b]) => b - a);
  return most?.[0];
}

/** Returns the reason that most nodes have, of those where the part is down. */
function reasonOf(states: readonly IntegrationOnNode[]): string | undefined {
  const reasons = states.flatMap(({ reason }) => reason ?? []);
  const [most] = [...Map.groupBy(reasons, (reason) => reason)].toSorted(([, a], [, b]) => b.length - a.length);
  return most?.[0];
}

export const downNodes = ({ isEnabled, nodes }: Integration): readonly NodeName[] =>
  isEnabled === false
    ? []
    : [...nodes].flatMap(([node, state]) => (isDown(state) ? [node] : [])).toSorted(compareNatural);

function toRow(
  part: Integration,
  connectors: ReadonlyMap<string, Integration>,
  rates: ReadonlyMap<string, ByNode<IntegrationRates>>,
): Omit<IntegrationRow, 'rank'> {
  const states = [...part.nodes.values()];
  const counters = states.flatMap((state) => state.counters ?? []);
  const key = integrationKey(part);
  const ratesByNode = rates.get(key) ?? new Map<NodeName, IntegrationRates>();
  const down = downNodes(part);
  const connector = part.connector === undefined ? undefined : connectors.get(part.connector);
  const connectorDown = connector === undefined ? [] : downNodes(connector);
  const isCause =
    connector !== undefined &&
    down.length > 0 &&
    (connector.isEnabled === false || down.every((node) => connectorDown.includes(node)));
  return {
    key,
    part,
    down,
    cause: isCause ? connector : undefined,
    reason: reasonOf(states.filter(isDown)),
    matched: sumOf(counters.map(({ matched }) => matched)),
    succeeded: sumOf(counters.map(({ succeeded }) => succeeded)),
    lost: sumOf(counters.map(lostOf)),
    mostly: mostOf(counters),
    queued: sumOf(counters.map(({ queued }) => queued)),
    rates: sumOfRates(part, ratesByNode),
    ratesByNode,
  };
}

const troubleOf = ({ down, rates }: Omit<IntegrationRow, 'rank'>): number =>
  (down.length > 0 ? 1e9 : 0) + Math.min(1e8, rates?.lost ?? 0);

const kindOrder = { connector: 0, action: 1, source: 2, rule: 3 } as const;

/** Puts actions and sources under their connector, and those rows first that have trouble. */
function ranked(rows: readonly Omit<IntegrationRow, 'rank'>[]): readonly IntegrationRow[] {
  const groupOf = ({ part }: Omit<IntegrationRow, 'rank'>): string =>
    part.kind === 'connector'
      ? part.id
      : (part.connector ?? (part.kind === 'rule' ? `rule ${part.id}` : `no ${part.id}`));
  const groups = [...Map.groupBy(rows, groupOf)]
    .map(([name, own]) => ({
      name,
      isRule: own.every(({ part }) => part.kind === 'rule'),
      trouble: Math.max(...own.map(troubleOf)),
      own: own.toSorted(
        (a, b) =>
          kindOrder[a.part.kind] - kindOrder[b.part.kind] ||
          troubleOf(b) - troubleOf(a) ||
          compareNatural(a.part.id, b.part.id),
      ),
    }))
    .toSorted(
      (a, b) =>
        Number(b.trouble > 0) - Number(a.trouble > 0) ||
        Number(a.isRule) - Number(b.isRule) ||
        b.trouble - a.trouble ||
        compareNatural(a.name, b.name),
    );
  const ordered = groups.flatMap(({ own }) => own);
  return ordered.map((row, index) => ({ ...row, rank: ordered.length - index }));
}

/** Returns a row for each part, those in trouble first. */
export function integrationRows(
  parts: readonly Integration[],
  rates: ReadonlyMap<string, ByNode<IntegrationRates>>,
): readonly IntegrationRow[] {
  const connectors = new Map(parts.flatMap((part) => (part.kind === 'connector' ? [[part.id, part] as const] : [])));
  return ranked(parts.map((part) => toRow(part, connectors, rates)));
}

const listRows = memoise(
  (
    parts: readonly Integration[] | undefined,
    rates: ReadonlyMap<string, ByNode<IntegrationRates>>,
  ): readonly IntegrationRow[] | undefined => (parts === undefined ? undefined : integrationRows(parts, rates)),
);

/** Returns all parts, those in trouble first; `undefined` while they are not read. */
export const selectIntegrations = (state: MonitorState): readonly IntegrationRow[] | undefined =>
  listRows(reading(state, integrations).data, reading(state, integrationRates));
