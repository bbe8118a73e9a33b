import type { Jump } from '../../domain/jump.ts';
import type { Place } from '../../tui/registered.ts';
import { createListState, placeKey, useListMemory } from '../../tui/list/list-state.ts';

/** Returns the place of a jump made at `nowMs`. Its sort, row and filter are for this visit only. */
export const placeOfJump = (
  { screen, node, clientId, topic, found, sort, row, filter }: Jump,
  nowMs: number,
): Place => {
  const visitId = sort === undefined && row === undefined && filter === undefined ? {} : { visitId: nowMs };
  switch (screen) {
    case 'node':
      return node === undefined ? { screen: 'nodes' } : { screen, node };
    case 'client':
      return clientId === undefined ? { screen: 'clients' } : { screen, clientId };
    case 'settings':
    case 'alarms':
    case 'slowSubscriptions':
    case 'bans':
    case 'users':
    case 'apiKeys':
    case 'integrations':
    case 'log':
      return { screen, ...visitId };
    default:
      if (found !== undefined)
        return { screen, scope: { kind: 'found', name: found.name, atMs: nowMs, clientIds: new Set(found.clientIds) } };
      if (topic !== undefined) return { screen, scope: { kind: 'topic', topic } };
      return node === undefined ? { screen, ...visitId } : { screen, scope: { kind: 'node', node }, ...visitId };
  }
};

const unsorted = { columnId: '', isReversed: false } as const;

/** Opens the place of a jump, sorted, filtered and with the cursor on its row. */
export const useJump = (go: (place: Place) => void): ((jump: Jump, nowMs: number) => void) => {
  const memory = useListMemory();
  return (jump, nowMs) => {
    const place = placeOfJump(jump, nowMs);
    const { sort, row, filter } = jump;
    if (sort !== undefined || row !== undefined || filter !== undefined)
      memory?.set(placeKey(place), { ...createListState(sort ?? unsorted, row), filter: filter ?? '' });
    go(place);
  };
};
