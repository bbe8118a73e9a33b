import { createContext, createElement, use, useState, type ReactNode } from 'react';
import type { NodeName } from '../../domain/node.ts';
import { type ColumnChoice, noChoice } from '../components/column-choice.ts';
import type { ListState } from './list-state.ts';

/** How a table's columns are looked at, wherever the table is. */
export interface TableColumns {
  readonly choice: ColumnChoice;
  readonly isWide: boolean;
}

/** What was left in places, by their keys (`placeKey`). */
interface Remembered<T> {
  readonly get: (key: string) => T | undefined;
  readonly set: (key: string, value: T) => void;
}

/** A node, or all of them. */
export interface ChosenNode {
  readonly node: NodeName | undefined;
}

/** Lists as they were left, and the nodes that were chosen in them; and columns, by the name of their table. */
export interface ListMemory extends Remembered<ListState> {
  readonly nodes: Remembered<ChosenNode>;
  readonly columnsOf: (table: string) => TableColumns;
  readonly setColumns: (table: string, columns: TableColumns) => void;
}

/** Columns that nobody has touched. */
export const untouchedColumns: TableColumns = { choice: noChoice, isWide: false };

/** More lists than history has places; the one left longest ago is forgotten first. */
const mostRemembered = 64;

const ListMemoryContext = createContext<ListMemory | undefined>(undefined);

const createRemembered = <T>(): Remembered<T> => {
  const values = new Map<string, T>();
  return {
    get: (key) => values.get(key),
    set: (key, value) => {
      values.delete(key);
      values.set(key, value);
      const [oldest] = values.keys();
      if (values.size > mostRemembered && oldest !== undefined) {
        values.delete(oldest);
      }
    },
  };
};

export const createListMemory = (): ListMemory => {
  const tables = new Map<string, TableColumns>();
  return {
    ...createRemembered<ListState>(),
    nodes: createRemembered<ChosenNode>(),
    columnsOf: (table) => tables.get(table) ?? untouchedColumns,
    setColumns: (table, columns) => { tables.set(table, columns); },
  };
};

export interface ListMemoryProviderProps {
  readonly children?: ReactNode;
}

/** Lets the lists below it be found again as they were left: cursor, sort, filter, columns, chosen node. There is one, at the root. */
export const ListMemoryProvider = ({ children }: ListMemoryProviderProps): ReactNode => {
  const [memory] = useState(createListMemory);
  return createElement(ListMemoryContext, { value: memory }, children);
};

/** `undefined` without a provider: then nothing is remembered. */
export const useListMemory = (): ListMemory | undefined => use(ListMemoryContext);
