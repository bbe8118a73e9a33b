import type { AccessBackend, AccessCounters } from '../../domain/access.ts';
import { memoise } from '../../domain/memoise.ts';
import { compareNatural } from '../../domain/natural-order.ts';
import type { ByNode, NodeName } from '../../domain/node.ts';
import { reading } from '../../monitor/query/part.ts';
import type { MonitorState } from '../../monitor/state.ts';
import { accessBackends, type AccessRates, accessRates } from './resource.ts';

export const backendKey = ({ purpose, id }: Pick<AccessBackend, 'purpose' | 'id'>): string => `${purpose} ${id}`;

type Figures = { readonly [Name in keyof AccessCounters]: number | undefined };

/** A backend, its nodes together. Sums lack what any of its nodes lacks. */
export interface AccessBackendRow {
  readonly key: string;
  readonly backend: AccessBackend;
  /** Whether it is enabled on any node. */
  readonly isEnabled: boolean | undefined;
  /** The nodes on which it is enabled and not connected. */
  readonly down: readonly NodeName[];
  readonly totals: Figures;
  readonly perSecond: Figures;
  readonly ratesByNode: ByNode<AccessRates>;
}

const sumOf = (values: readonly (number | undefined)[]): number | undefined =>
  values.length === 0
    ? undefined
    : values.reduce((sum, value) => (sum === undefined || value === undefined ? undefined : sum + value), 0);

const sums = (all: readonly Partial<Figures>[]): Figures => ({
  asked: sumOf(all.map(({ asked }) => asked)),
  accepted: sumOf(all.map(({ accepted }) => accepted)),
  refused: sumOf(all.map(({ refused }) => refused)),
  undecided: sumOf(all.map(({ undecided }) => undecided)),
});

function toRow(backend: AccessBackend, ratesByNode: ByNode<AccessRates>): AccessBackendRow {
  const states = [...backend.nodes];
  const enabled = states.map(([, { isEnabled }]) => isEnabled);
  return {
    key: backendKey(backend),
    backend,
    isEnabled: enabled.includes(true) ? true : enabled.includes(undefined) ? undefined : false,
    down: states
      .flatMap(([node, { isEnabled, isConnected }]) => (isEnabled === true && isConnected === false ? [node] : []))
      .toSorted(compareNatural),
    totals: sums(states.map(([, { counters }]) => counters)),
    perSecond: sums(states.map(([node]) => ratesByNode.get(node)?.perSecond ?? {})),
    ratesByNode,
  };
}

/** Returns a row for each backend: of authentication first, and those that are down first. */
export const accessBackendRows = (
  backends: readonly AccessBackend[],
  rates: ReadonlyMap<string, ByNode<AccessRates>>,
): readonly AccessBackendRow[] =>
  backends
    .map((backend) => toRow(backend, rates.get(backendKey(backend)) ?? new Map()))
    .toSorted(
      (a, b) =>
        Number(b.down.length > 0) - Number(a.down.length > 0) ||
        compareNatural(a.backend.purpose, b.backend.purpose) * -1 ||
        compareNatural(a.backend.id, b.backend.id),
    );

const listRows = memoise(
  (
    backends: readonly AccessBackend[] | undefined,
    rates: ReadonlyMap<string, ByNode<AccessRates>>,
  ): readonly AccessBackendRow[] | undefined => backends && accessBackendRows(backends, rates),
);

/** Returns all backends; `undefined` while they are not read. */
export const selectAccessBackends = (state: MonitorState): readonly AccessBackendRow[] | undefined =>
  listRows(reading(state, accessBackends).data, reading(state, accessRates));
