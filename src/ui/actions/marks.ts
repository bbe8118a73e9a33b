import { createContext, createElement, use, useMemo, useState, type ReactNode } from 'react';
import type { Client } from '../../domain/client.ts';
import { isSameConnection } from '../../store/actions/targets.ts';

/** Connections that the operator marked, by client id. A client that came back is another connection and not marked. */
export interface ClientMarks {
  readonly marked: ReadonlyMap<string, Client>;
  readonly isMarked: (client: Client) => boolean;
  readonly toggle: (client: Client) => void;
  readonly add: (clients: readonly Client[]) => void;
  readonly clear: () => void;
}

const none: ReadonlyMap<string, Client> = new Map();

const useMarks = (): ClientMarks => {
  const [marked, setMarked] = useState(none);
  return useMemo(() => ({
    marked,
    isMarked: (client) => {
      const as = marked.get(client.clientId);
      return as !== undefined && isSameConnection(as, client);
    },
    toggle: (client) => {
      setMarked((old) => {
        const next = new Map(old);
        const as = old.get(client.clientId);
        if (as !== undefined && isSameConnection(as, client)) {
          next.delete(client.clientId);
        } else {
          next.set(client.clientId, client);
        }
        return next;
      });
    },
    add: (clients) => { setMarked((old) => new Map([...old, ...clients.map((client) => [client.clientId, client] as const)])); },
    clear: () => { setMarked(none); },
  }), [marked]);
};

const MarksContext = createContext<ClientMarks | undefined>(undefined);

export interface ClientMarksProviderProps {
  readonly children?: ReactNode;
}

/** Keeps the marks of the clients while other screens are looked at. There is one, at the root. */
export const ClientMarksProvider = ({ children }: ClientMarksProviderProps): ReactNode => createElement(MarksContext, { value: useMarks() }, children);

/** The marks of the program; without a provider those of this screen alone. */
export const useClientMarks = (): ClientMarks => {
  const own = useMarks();
  return use(MarksContext) ?? own;
};

/** How many of the marked ones are not listed any more as they were marked. */
export const countChanged = (marked: ReadonlyMap<string, Client>, rows: readonly Client[]): number => {
  let same = 0;
  for (const row of rows) {
    const as = marked.get(row.clientId);
    if (as !== undefined && isSameConnection(as, row)) {
      same += 1;
    }
  }
  return Math.max(0, marked.size - same);
};
