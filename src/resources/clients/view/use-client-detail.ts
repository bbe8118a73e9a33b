import { useMemo } from 'react';
import type { Monitor, MonitorState, ResourceState } from '../../../monitor/state.ts';
import { useReading, useStore } from '../../../tui/hooks/use-store.ts';
import { clientDetail } from '../detail.ts';
import type { ClientDetail } from '../client-detail.ts';
import { detailOfLists } from '../recorded-detail.ts';

const selectPastState = (state: MonitorState): MonitorState | undefined =>
  state.past === undefined ? undefined : state;

/** What is known of a client; in a recording, where it was not being read by itself, what the lists have of it. */
export const useClientDetail = (monitor: Monitor, clientId: string): ResourceState<ClientDetail> => {
  const state = useReading(monitor, clientDetail, clientId);
  const past = useStore(monitor.store, selectPastState);
  return useMemo(
    () => (past === undefined || state.data !== undefined ? state : (detailOfLists(past, clientId) ?? state)),
    [state, past, clientId],
  );
};
