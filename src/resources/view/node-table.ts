import { useMemo, useState } from 'react';
import { type NodeName, shortNodeName } from '../../domain/node.ts';
import { isFifthTickStale } from '../../monitor/polling/intervals.ts';
import { maxListed } from '../../monitor/polling/pages.ts';
import { emptyResource, type Monitor, type ResourceState } from '../../monitor/state.ts';
import type { CellValue } from '../../table/column.ts';
import type { FieldType } from '../../table/field.ts';
import { formatCount, loadingText, unknownText } from '../../terminal/format.ts';
import type { Span } from '../../terminal/line.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import { widthOf } from '../../terminal/text-width.ts';
import type { Role, Theme } from '../../terminal/theme.ts';
import type { CellContext } from '../../tui/components/column.ts';
import { columnOf } from '../../tui/components/field-columns.ts';
import { useTheme } from '../../tui/components/drawing.tsx';
import type { EmptyMessage } from '../../tui/components/table.tsx';
import { useNow } from '../../tui/hooks/use-now.ts';
import { useFetchContext, useResource } from '../../tui/hooks/use-store.ts';
import { useListMemory } from '../../tui/list/list-state.ts';
import { nodeNameIn } from './node-names.ts';
import { dataProblem, missingMessage } from '../../tui/list/resource-notice.ts';
import type { List, ListColumn, ListOptions, TargetColumns } from '../../tui/list/use-list.tsx';
import type { ByNodeRows } from '../by-node.ts';
import { nodeStats } from '../nodes/resource.ts';
import { nodeTableTexts } from './texts.ts';
import { useKeys } from '../../tui/keys/use-keys.ts';

type Read = ResourceState<unknown>;

export interface NodeTableOptions<Row> {
  readonly table: ByNodeRows<Row>;
  /** The state of each node's request; `whole` where one request reads all nodes. */
  readonly byNode: ReadonlyMap<NodeName, Read>;
  readonly whole?: Read | undefined;
  readonly plural: SafeText;
  /** Shown when the nodes have none. */
  readonly empty: SafeText;
}

export interface NodeTable {
  readonly view: ReadView & { readonly data: ByNodeData };
  readonly nowMs: number;
  /** States of all requests, also of those not made yet. */
  readonly states: readonly (Read | undefined)[];
  /** Running nodes that have not been read, and nodes that are not running. */
  readonly unread: readonly NodeName[];
  readonly silent: readonly NodeName[];
  /** Says that some nodes are not running; `undefined` where all are. */
  readonly silentNote: SafeText | undefined;
}

/** Tells how the rows of a table with a column for each node were read. A node that fails does not hide the others. */
export const useNodeTable = <Row>(
  monitor: Monitor,
  { table: { nodes, running, read, rows }, byNode, whole, plural, empty }: NodeTableOptions<Row>,
): NodeTable => {
  const theme = useTheme();
  const stats = useResource(monitor, nodeStats);
  const nowMs = useNow(1000);
  const fetchContext = useFetchContext(monitor, nowMs);
  const data = useMemo((): ByNodeData => {
    const isWaitedFor = (state: Read | undefined): boolean => state?.data === undefined && state?.error === undefined;
    return {
      read,
      loading: new Set(running.filter((node) => !read.has(node) && isWaitedFor(whole ?? byNode.get(node)))),
    };
  }, [read, running, whole, byNode]);

  const sources =
    whole === undefined
      ? running.map((node) => ({
          what: nodeTableTexts.ofNode(plural, theme.escapeEnds(shortNodeName(node, nodes), 40)),
          state: byNode.get(node),
        }))
      : [{ what: plural, state: whole }];
  const isOld = (state: Read | undefined): boolean =>
    state !== undefined && isFifthTickStale(state, monitor.store.getState(), nowMs);
  const failed =
    sources.find(({ state }) => state?.error !== undefined || isOld(state)) ??
    sources.find(({ state }) => state?.unusable !== undefined);
  const failure: Span | undefined =
    failed?.state === undefined
      ? undefined
      : (dataProblem(theme, failed.state, failed.what, isOld(failed.state), fetchContext) ??
        missingMessage(theme, failed.state, failed.what, fetchContext));
  const message = ((): EmptyMessage => {
    if (failure !== undefined) return failure;
    if (sources.length === 0) {
      return stats.data === undefined
        ? missingMessage(theme, stats, nodeTableTexts.nodes, fetchContext)
        : { text: safe` ${nodeTableTexts.noNode}` };
    }
    return read.size === 0 && whole?.data === undefined
      ? missingMessage(theme, emptyResource(), nodeTableTexts.all(plural), fetchContext)
      : { text: empty };
  })();
  const silent = nodes.filter((node) => !running.includes(node));
  return {
    view: {
      data,
      message,
      problem: rows.length === 0 ? undefined : failure,
      isStale: sources.length > 0 && sources.every(({ state }) => isOld(state)),
    },
    nowMs,
    states: sources.map(({ state }) => state),
    unread: running.filter((node) => !read.has(node)),
    silent,
    silentNote:
      silent.length === 0
        ? undefined
        : nodeTableTexts.notRunning(formatCount(silent.length), formatCount(nodes.length)),
  };
};

export interface ByNodeData {
  /** Running nodes that have been read. */
  readonly read: ReadonlySet<NodeName>;
  /** Nodes that were asked, and were neither read nor failed. */
  readonly loading: ReadonlySet<NodeName>;
}

export interface ByNodeRow<Cell> {
  readonly byNode: ReadonlyMap<NodeName, Cell>;
}

/** Shows values in a node's column. */
export interface NodeCells<Row extends ByNodeRow<Cell>, Cell> {
  readonly type: FieldType;
  readonly get: (cell: Cell, row: Row) => CellValue;
  /** The value that rows are sorted and searched by, where it is another one. */
  readonly order?: ((cell: Cell, row: Row) => CellValue) | undefined;
  readonly format: (cell: Cell, row: Row, context: CellContext<ByNodeData>) => SafeText;
  readonly role?: (cell: Cell, row: Row) => Role | undefined;
  readonly width: ListColumn<Row, ByNodeData>['width'];
}

const nodeColumnId = (node: NodeName): string => `on ${node}`;

const maxHeaderWidth = 20;

/** Returns a column for each node. */
export const nodeColumnsOf = <Row extends ByNodeRow<Cell>, Cell>(
  theme: Theme,
  nodes: readonly NodeName[],
  { type, get, order, format, role, width }: NodeCells<Row, Cell>,
): readonly ListColumn<Row, ByNodeData>[] =>
  nodes.map((node) => {
    const name = theme.escapeEnds(shortNodeName(node, nodes), maxHeaderWidth);
    const ofCell =
      <Value>(read: (cell: Cell, row: Row) => Value) =>
      (row: Row): Value | undefined => {
        const cell = row.byNode.get(node);
        return cell === undefined ? undefined : read(cell, row);
      };
    return columnOf<Row, ByNodeData>(
      nodeColumnId(node),
      { label: name, type, get: ofCell(get), order: order && ofCell(order) },
      {
        format: (row, context) => {
          const cell = row.byNode.get(node);
          if (cell !== undefined) {
            return format(cell, row, context);
          }
          if (context.data.loading.has(node)) {
            return loadingText;
          }
          return context.data.read.has(node) ? nodeTableTexts.absent : unknownText;
        },
        roleOf: role && ofCell(role),
        // A cut header would be the same for names that begin alike.
        width: typeof width === 'number' ? width : { ...width, min: Math.max(width.min, widthOf(name)) },
        isEven: true,
        priority: 1,
      },
    );
  });

/** The columns of all nodes, with one for each node behind those that stay in sight. */
export const withNodeColumns = <Row, Data>(
  common: readonly ListColumn<Row, Data>[],
  ofNodes: readonly ListColumn<Row, Data>[],
): readonly ListColumn<Row, Data>[] => [
  ...common.filter(({ isSticky }) => isSticky === true),
  ...ofNodes,
  ...common.filter(({ isSticky }) => isSticky !== true),
];

/** Returns what actions apply to: the column of a node, or `wholeId`, which stands for all nodes. */
export const targetColumns = (
  nodes: readonly NodeName[],
  { node, choose }: NodeCursor,
  wholeId: string,
): TargetColumns => {
  const byColumn = new Map<string, NodeName | undefined>([
    [wholeId, undefined],
    ...nodes.map((each) => [nodeColumnId(each), each] as const),
  ]);
  return {
    chosenId: node === undefined ? wholeId : nodeColumnId(node),
    isOffered: (columnId) => byColumn.has(columnId),
    choose: (columnId) => {
      choose(byColumn.get(columnId));
    },
  };
};

/** Names the node that actions apply to, for the footer. */
export const chosenText = (theme: Theme, node: NodeName | undefined, nodes: readonly NodeName[]): SafeText =>
  safe`${nodeTableTexts.chosen(node === undefined ? undefined : nodeNameIn(theme, node, nodes, 40))} `;

/** Says how the rows were read, for `useList`. */
export type ReadView = Pick<ListOptions<never, never>, 'message' | 'problem' | 'isStale'>;

/** Returns the state of a list that one slow request reads. `plural`: `users`; `empty`: shown when there are none. */
export const useFifthTickList = (
  monitor: Monitor,
  state: ResourceState<readonly unknown[]>,
  plural: SafeText,
  empty: SafeText,
): ReadView & { readonly generation: unknown } => {
  const theme = useTheme();
  const nowMs = useNow(1000);
  const fetchContext = useFetchContext(monitor, nowMs);
  const isStale = isFifthTickStale(state, monitor.store.getState(), nowMs);
  const { data } = state;
  return {
    generation: state.updatedAtMs,
    message:
      data === undefined ? missingMessage(theme, state, nodeTableTexts.all(plural), fetchContext) : { text: empty },
    problem: data === undefined ? undefined : dataProblem(theme, state, plural, isStale, fetchContext),
    isStale,
  };
};

/** Says in the footer that a list may have more rows than are read. */
export const maxListedNote = (rows: readonly unknown[] | undefined): SafeText | undefined =>
  rows === undefined || rows.length < maxListed ? undefined : nodeTableTexts.maxListed(formatCount(maxListed));

/** The node that a screen shows or acts on. */
export interface NodeCursor {
  /** The node; `undefined` stands for all. */
  readonly node: NodeName | undefined;
  readonly step: (by: 1 | -1) => void;
  readonly choose: (node: NodeName | undefined) => void;
}

/** Returns the next (1) or previous (-1) choice: all nodes, then each. From a node that is gone it leads to all. */
export const stepNode = (nodes: readonly NodeName[], node: NodeName | undefined, by: 1 | -1): NodeName | undefined => {
  const views: readonly (NodeName | undefined)[] = [undefined, ...nodes];
  const at = views.indexOf(node);
  return at === -1 ? undefined : views[(at + by + views.length) % views.length];
};

/** Keeps the chosen node, by key; initially `first`. A node that is not listed means all nodes, unless `isKept`. */
export const useNodeCursor = (
  memoryKey: string,
  nodes: readonly NodeName[],
  first: NodeName | undefined,
  { isKept = false } = {},
): NodeCursor => {
  const memory = useListMemory()?.nodes;
  const [wanted, setWanted] = useState(() => memory?.get(memoryKey) ?? { node: first });
  const node = isKept || (wanted.node !== undefined && nodes.includes(wanted.node)) ? wanted.node : undefined;
  const choose = (chosen: NodeName | undefined): void => {
    const next = { node: chosen };
    memory?.set(memoryKey, next);
    setWanted(next);
  };
  return {
    node,
    step: (by) => {
      choose(stepNode(nodes, node, by));
    },
    choose,
  };
};

/** Binds the keys that choose the node that actions apply to. */
export const useNodeColumnKeys = ({ toSide }: Pick<List<never, never>, 'toSide'>, isActive: boolean): void => {
  useKeys(
    'nodeColumns',
    {
      chooseNodeLeft: () => {
        toSide(-1);
      },
      chooseNodeRight: () => {
        toSide(1);
      },
    },
    { isActive },
  );
};
