import { useMemo, useState } from 'react';
import type { ClientSearch } from '../../../api/management-api.ts';
import type { Client } from '../../../domain/client.ts';
import type { NodeName } from '../../../domain/node.ts';
import { watchOf } from '../../../monitor/query/part.ts';
import type { Monitor, ScanState } from '../../../monitor/state.ts';
import { parseFilter } from '../../../table/filter.ts';
import type { SafeText } from '../../../terminal/safe-text.ts';
import { useReading, useStore, useWatch } from '../../../tui/hooks/use-store.ts';
import { useRested } from '../../../tui/list/detail.tsx';
import type { ListColumn } from '../../../tui/list/use-list.tsx';
import { clientSearch } from '../search.ts';
import { clientSearchTexts } from '../texts.ts';
import type { BrokerClocks } from '../../view/broker-clocks.ts';

/** Matches IPv4, or IPv6 with at least two colons; not the beginning of one, nor one with a port. */
const wholeAddress = /^(?:\d{1,3}(?:\.\d{1,3}){3}|(?=.*:.*:)[\da-f:]+(?:\.\d{1,3}){0,3})$/iu;

/**
 * Returns what the broker can be asked for a filter: one word in any column, or in `id:`, `user:` or `address:`
 * (`ip:`).
 */
export const searchesOf = (
  filter: string,
  columns: readonly ListColumn<Client, BrokerClocks>[],
  node: NodeName | undefined,
): readonly ClientSearch[] => {
  const {
    terms: [term, ...others],
    error,
  } = parseFilter(
    filter,
    columns.map(({ id, header, name = header, aliases }) => ({ id, name, aliases })),
  );
  if (term === undefined || others.length > 0 || error !== undefined || term.mode !== 'text' || term.isInverse)
    return [];
  // Case counts at the broker, and the text of a term is lower-case.
  const text = filter.trim().replace(/"$/u, '').slice(-term.text.length);
  if (text.toLowerCase() !== term.text) return [];
  switch (term.column) {
    case undefined:
      return [
        { clientId: text, node },
        { username: text, node },
      ];
    case 'id':
      return [{ clientId: text, node }];
    case 'username':
      return [{ username: text, node }];
    // The broker takes only whole addresses.
    case 'address':
      return !wholeAddress.test(text) ? [] : [{ ipAddress: text, node }];
    default:
      return [];
  }
};

const isCut = ({ leftOut }: ScanState<Client>): boolean => [...leftOut.values()].some(({ cut }) => cut !== undefined);

/** Whether the list lacks rows. A list read again stays what it was until the end is reached. */
const useIsIncomplete = (scan: ScanState<Client>): boolean => {
  const [before, setBefore] = useState(true);
  const isIncomplete =
    scan.phase === 'running' || scan.phase === 'idle' ? before : scan.phase !== 'complete' || isCut(scan);
  if (isIncomplete !== before) setBefore(isIncomplete);
  return isIncomplete;
};

export interface BrokerSearch {
  /** Whether the list lacks rows that the broker can be asked for. */
  readonly isAsked: boolean;
  /** Clients that are not in the list that was read. */
  readonly found: readonly Client[];
  readonly note: SafeText | undefined;
}

const noSearches: readonly ClientSearch[] = [];
const noneFound: readonly Client[] = [];

/** Asks the broker for a filter that has rested, while the list lacks rows. */
export const useBrokerSearch = (
  monitor: Monitor,
  scan: ScanState<Client>,
  filter: string,
  columns: readonly ListColumn<Client, BrokerClocks>[],
  node: NodeName | undefined,
): BrokerSearch => {
  const isOffered = useStore(monitor.store, ({ capabilities }) => capabilities?.clientSearch === true);
  const isAsked = useIsIncomplete(scan) && isOffered;
  const rested = useRested(isAsked ? filter : undefined);
  const searches = useMemo(
    () => (rested === undefined || !isAsked ? noSearches : searchesOf(rested, columns, node)),
    [isAsked, rested, columns, node],
  );
  useWatch(monitor, searches.length === 0 ? undefined : watchOf(clientSearch, searches));
  const { data, error } = useReading(monitor, clientSearch, searches);
  const found = useMemo(() => {
    if (data === undefined || searches.length === 0) return noneFound;
    const read = new Set(scan.rows.map(({ clientId }) => clientId));
    return data.items.filter(({ clientId }) => !read.has(clientId));
  }, [data, searches, scan.rows]);
  if (searches.length === 0) return { isAsked, found, note: undefined };
  if (data === undefined)
    return { isAsked, found, note: error === undefined ? clientSearchTexts.searching : clientSearchTexts.failed };
  return { isAsked, found, note: clientSearchTexts.found(data.items.length, data.hasMore) };
};
