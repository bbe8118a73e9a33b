import { createContext, createElement, use, useState, type ReactNode } from 'react';
import type { ListState } from './list-state.ts';

/** Lists as they were left, by the key of their place (`placeKey`). */
export interface ListMemory {
  readonly get: (key: string) => ListState | undefined;
  readonly set: (key: string, state: ListState) => void;
}

/** More lists than history has places; the one left longest ago is forgotten first. */
const mostRemembered = 64;

const ListMemoryContext = createContext<ListMemory | undefined>(undefined);

export const createListMemory = (): ListMemory => {
  const states = new Map<string, ListState>();
  return {
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
