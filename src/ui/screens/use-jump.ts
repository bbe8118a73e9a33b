import type { Jump } from '../../triage/check.ts';
import { useListMemory } from '../list/list-memory.ts';
import { createListState } from '../list/list-state.ts';
import { type Place, placeKey } from '../navigation.ts';

/** Where a jump leads that is made at `nowMs`, wall clock. What it sorts by, and the row it leads to, are of this visit alone. */
export const placeOf = ({ screen, node, clientId, topic, found, sort, row }: Jump, nowMs: number): Place => {
  const visit = sort === undefined && row === undefined ? {} : { visit: nowMs };
  switch (screen) {
    case 'node': return node === undefined ? { screen: 'nodes' } : { screen, node };
    case 'settings': return { screen, ...visit };
    case 'log': return { screen };
    default:
      if (clientId !== undefined) return { screen, within: { kind: 'client', clientId } };
      if (found !== undefined) return { screen, within: { kind: 'found', name: found.name, atMs: nowMs, clientIds: new Set(found.clientIds) } };
      if (topic !== undefined) return { screen, within: { kind: 'topic', topic } };
      return node === undefined ? { screen, ...visit } : { screen, within: { kind: 'node', node }, ...visit };
  }
};

const unsorted = { columnId: '', isReversed: false };

/** Goes to the rows behind a finding, sorted so that they are on top, with the cursor on the row that is meant. */
export const useJump = (go: (place: Place) => void): ((jump: Jump, nowMs: number) => void) => {
  const memory = useListMemory();
  return (jump, nowMs) => {
    const place = placeOf(jump, nowMs);
    const { sort, row } = jump;
    if (sort !== undefined || row !== undefined) memory?.set(placeKey(place), createListState(sort ?? unsorted, row));
    go(place);
  };
};
