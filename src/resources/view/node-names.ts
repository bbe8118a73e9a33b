import { useMemo } from 'react';
import { type NodeName, shortNodeName } from '../../domain/node.ts';
import { selectNodeNames } from '../nodes/select.ts';
import type { Monitor, MonitorState } from '../../monitor/state.ts';
import { formatText } from '../../terminal/format.ts';
import type { SafeText } from '../../terminal/safe-text.ts';
import { widestFitting } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import { useStore } from '../../tui/hooks/use-store.ts';
import type { ListColumn } from '../../tui/list/use-list.tsx';

/** Shortens the NODE cells of columns as much as the names of all nodes allow. */
export const withShortNodes = <Row, Data>(
  columns: readonly ListColumn<Row, Data>[],
  nodeOf: (row: Row) => NodeName | undefined,
  nodes: readonly NodeName[],
): readonly ListColumn<Row, Data>[] =>
  columns.map((column) =>
    column.id !== 'node'
      ? column
      : {
          ...column,
          format: (row, { ends }) => {
            const node = nodeOf(row);
            return formatText(node === undefined ? undefined : shortNodeName(node, nodes), ends);
          },
        },
  );

/** Writes the whole name where it fits, for titles and targets; else as lists have it. */
export const nodeNameIn = (theme: Theme, node: NodeName, nodes: readonly NodeName[], width: number): SafeText =>
  widestFitting([theme.escape(node, width)], width) ?? theme.escapeEnds(shortNodeName(node, nodes), width);

// A string, so that it is the same while no node comes or goes.
const selectNames = (state: MonitorState): string => JSON.stringify(selectNodeNames(state));

/** Returns the names of all nodes, also of stopped ones; the same array while they are the same. */
export const useNodeNames = (monitor: Monitor): readonly NodeName[] => {
  const names = useStore(monitor.store, selectNames);
  return useMemo(() => JSON.parse(names) as readonly NodeName[], [names]);
};
