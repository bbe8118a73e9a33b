import type { NodeName } from '../../domain/node.ts';
import { loadingText, unknownText } from '../../terminal/format.ts';
import { glyphs } from '../../terminal/glyphs.ts';
import { type SafeText, safe } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import type { CellContext, CellValue } from '../components/column.ts';
import type { ListColumn } from './list-screen.tsx';

/** The part of a node's name before `@`, where no other node has the same; else the whole name. */
export const shortNodeName = (node: NodeName, nodes: readonly NodeName[]): string => {
  const start = (name: NodeName): string => name.split('@')[0] ?? name;
  return start(node) !== '' && nodes.filter((other) => start(other) === start(node)).length === 1 ? start(node) : node;
};

/** What the cells of a node need beside the rows. */
export interface ByNodeData {
  /** Nodes that run and have been read. */
  readonly read: ReadonlySet<NodeName>;
  /** Asked for, neither read nor failed. */
  readonly loading: ReadonlySet<NodeName>;
}

/** A row that has something of each node that has it. */
export interface ByNodeRow<Cell> {
  readonly byNode: ReadonlyMap<NodeName, Cell>;
}

/** What a node's column shows of what the node has, where it was read. */
export interface NodeCells<Row extends ByNodeRow<Cell>, Cell> {
  readonly value: (cell: Cell, row: Row) => CellValue;
  readonly format: (cell: Cell, row: Row, context: CellContext<ByNodeData>) => SafeText;
  readonly width: ListColumn<Row, ByNodeData>['width'];
}

/** A column for each node, with a sign at the one that actions concern. */
export const nodeColumnsOf = <Row extends ByNodeRow<Cell>, Cell>(
  theme: Theme, nodes: readonly NodeName[], chosen: NodeName | undefined, { value, format, width }: NodeCells<Row, Cell>,
): readonly ListColumn<Row, ByNodeData>[] =>
  nodes.map((node) => {
    const name = theme.escape(shortNodeName(node, nodes), 32);
    return {
      id: `on ${node}`,
      name,
      header: node === chosen ? safe`${glyphs.cursor}${name}` : name,
      value: (row) => {
        const cell = row.byNode.get(node);
        return cell === undefined ? undefined : value(cell, row);
      },
      format: (row, context) => {
        const cell = row.byNode.get(node);
        if (cell !== undefined) {
          return format(cell, row, context);
        }
        if (context.data.loading.has(node)) {
          return loadingText;
        }
        return context.data.read.has(node) ? safe`absent` : unknownText;
      },
      width,
      priority: 1,
    };
  });

/** What actions concern now, for the line below the list. */
export const chosenText = (theme: Theme, node: NodeName | undefined): SafeText =>
  safe`v on ${node === undefined ? safe`all nodes` : theme.escape(node, 40)} `;
