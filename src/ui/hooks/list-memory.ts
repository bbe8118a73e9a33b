import { createContext, createElement, use, useState, type ReactNode } from 'react';
import { type ColumnChoice, noChoice } from '../widgets/column-choice.ts';
import type { ListState } from './list-state.ts';

/** How a table's columns are looked at, wherever the table is. */
export interface TableColumns {
  readonly choice: ColumnChoice;
  readonly isWide: boolean;
}

/** Lists as they were left, by the key of their place (`placeKey`); and columns, by the name of their table. */
export interface ListMemory {
  readonly get: (key: string) => ListState | undefined;
  readonly set: (key: string, state: ListState) => void;
  readonly columnsOf: (table: string) => TableColumns;
  readonly setColumns: (table: string, columns: TableColumns) => void;
}

/** Columns that nobody has touched. */
export const untouchedColumns: TableColumns = { choice: noChoice, isWide: false };

/** More lists than history has places; the one left longest ago is forgotten first. */
const mostRemembered = 64;

const ListMemoryContext = createContext<ListMemory | undefined>(undefined);

export const createListMemory = (): ListMemory => {
  const states = new Map<string, ListState>();
  const tables = new Map<string, TableColumns>();
  return {
    columnsOf: (table) => tables.get(table) ?? untouchedColumns,
    setColumns: (table, columns) => { tables.set(table, columns); },
    get: (key) => states.get(key),
    set: (key, state) => {
      states.delete(key);
      states.set(key, state);
      const [oldest] = states.keys();
      if (states.size > mostRemembered && oldest !== undefined) {
        states.delete(oldest);
      }
    },
  };
};

export interface ListMemoryProviderProps {
  readonly children?: ReactNode;
}

/** Lets the lists below it be found again as they were left: cursor, sort, filter, columns. There is one, at the root. */
export const ListMemoryProvider = ({ children }: ListMemoryProviderProps): ReactNode => {
  const [memory] = useState(createListMemory);
  return createElement(ListMemoryContext, { value: memory }, children);
};

/** `undefined` without a provider: then nothing is remembered. */
export const useListMemory = (): ListMemory | undefined => use(ListMemoryContext);
