import type { ReactNode } from 'react';
import type { Client } from '../../domain/client.ts';
import type { BrokerSeconds } from '../../domain/node.ts';
import type { Monitor } from '../../store/state.ts';
import { useKeys } from '../hooks/use-keys.ts';
import type { BulkDisconnectRequest } from './ask.ts';
import { ClientKeys } from './client-keys.tsx';
import { type ClientMarks, countChanged } from './client-marks.ts';

export interface MarkKeysProps {
  readonly monitor: Monitor;
  readonly marks: ClientMarks;
  /** Under the cursor. */
  readonly client: Client | undefined;
  readonly now: BrokerSeconds | undefined;
  /** All that the filter shows and that are still there. */
  readonly shown: () => readonly Client[];
  /** Holds the cursor on its row, because the operator acted on it. */
  readonly anchor: () => void;
}

/** Hears the keys of the list of clients: marks, and what can be done to a client or to the marked ones. */
export const MarkKeys = ({ monitor, marks, client, now, shown, anchor }: MarkKeysProps): ReactNode => {
  const { marked, toggle, add, clear } = marks;
  useKeys('row', {
    ...(client === undefined ? {} : { mark: () => { anchor(); toggle(client); }, markAll: () => { anchor(); add(shown()); } }),
    ...(marked.size === 0 ? {} : { unmarkAll: clear }),
  });
  const target = client === undefined ? undefined : ({ subject: { kind: 'client', client }, now } as const);
  const bulkOf = marked.size === 0 ? undefined : (): BulkDisconnectRequest => ({
    kind: 'bulk',
    clients: [...marked.values()],
    changedCount: countChanged(marked, monitor.store.getState().clientScan.rows),
    onBegin: clear,
  });
  return <ClientKeys monitor={monitor} target={target} bulkOf={bulkOf} />;
};
