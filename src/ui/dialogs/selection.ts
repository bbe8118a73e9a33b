import { createContext, createElement, type ReactNode, use, useMemo, useState } from 'react';
import { isSameConnection, isSameSession } from '../../actions/clients.ts';
import type { Client, Session } from '../../domain/client.ts';

/** How rows of a kind are identified. */
export interface SelectableKind<T> {
  /** Unique within a list. */
  readonly idOf: (row: T) => string;
  /** Whether a row is the selected one, and not a later one with the same id. */
  readonly isSame: (marked: T, row: T) => boolean;
}

/** The selected rows as they were then, by id. A later row with the same id is not selected. */
export interface Selection<T> {
  readonly marked: ReadonlyMap<string, T>;
  readonly isMarked: (row: T) => boolean;
  readonly toggle: (row: T) => void;
  readonly add: (rows: readonly T[]) => void;
  readonly clear: () => void;
}

/** A reconnected client is another connection. */
export const selectableClients: SelectableKind<Client> = { idOf: ({ clientId }) => clientId, isSame: isSameConnection };
/** A session created again, or on another node, is another one. */
export const selectableSessions: SelectableKind<Session> = { idOf: ({ clientId }) => clientId, isSame: isSameSession };

const isSelectedIn = <T>(marked: ReadonlyMap<string, T>, { idOf, isSame }: SelectableKind<T>, row: T): boolean => {
  const as = marked.get(idOf(row));
  return as !== undefined && isSame(as, row);
};

const useCreateSelection = <T>(kind: SelectableKind<T>): Selection<T> => {
  const [marked, setMarked] = useState<ReadonlyMap<string, T>>(() => new Map());
  return useMemo(() => ({
    marked,
    isMarked: (row) => isSelectedIn(marked, kind, row),
    toggle: (row) => {
      setMarked((old) => {
        const next = new Map(old);
        if (isSelectedIn(old, kind, row)) {
          next.delete(kind.idOf(row));
        } else {
          next.set(kind.idOf(row), row);
        }
        return next;
      });
    },
    add: (rows) => { setMarked((old) => new Map([...old, ...rows.map((row) => [kind.idOf(row), row] as const)])); },
    clear: () => { setMarked(new Map()); },
  }), [kind, marked]);
};

interface Selections {
  readonly clients: Selection<Client>;
  readonly sessions: Selection<Session>;
}

const useCreateSelections = (): Selections => {
  const clients = useCreateSelection(selectableClients);
  const sessions = useCreateSelection(selectableSessions);
  return useMemo(() => ({ clients, sessions }), [clients, sessions]);
};

const SelectionContext = createContext<Selections | undefined>(undefined);

export interface SelectionProviderProps {
  readonly children?: ReactNode;
}

/** Keeps the selections while other screens are open. Used once, at the root. */
export const SelectionProvider = ({ children }: SelectionProviderProps): ReactNode => createElement(SelectionContext, { value: useCreateSelections() }, children);

/** The program's selections; without a provider those of the calling screen. */
const useSelections = (): Selections => {
  const own = useCreateSelections();
  return use(SelectionContext) ?? own;
};

export const useClientSelection = (): Selection<Client> => useSelections().clients;
export const useSessionSelection = (): Selection<Session> => useSelections().sessions;

/** How many selected rows are no longer listed as selected. */
export const countChanged = <T>(marked: ReadonlyMap<string, T>, rows: readonly T[], kind: SelectableKind<T>): number => {
  if (marked.size === 0) {
    return 0;
  }
  let same = 0;
  for (const row of rows) {
    if (isSelectedIn(marked, kind, row)) {
      same += 1;
    }
  }
  return Math.max(0, marked.size - same);
};
