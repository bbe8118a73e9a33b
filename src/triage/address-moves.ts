import type { Client } from '../domain/client.ts';
import { forgetOldest } from '../monitor/scan/scan-rows.ts';

/** A client ID connected again from another address; another port of the same one is no move. */
export interface AddressMove {
  readonly atMs: number;
  readonly from: string;
  readonly to: string;
}

/** The last moves of client IDs, oldest first. */
export type AddressMoves = ReadonlyMap<string, readonly AddressMove[]>;

/** Moves are remembered so long. */
export const keepMovesMs = 300_000;
const maxMovedIds = 10_000;

interface AddressMemory {
  /** Notes a new connection of a client. */
  note(before: Client, after: Client, atMs: number): void;
  /** Returns the moves until now: the same map while there are no others. */
  moves(nowMs: number): AddressMoves;
}

export function createAddressMemory(): AddressMemory {
  let moves = new Map<string, readonly AddressMove[]>();
  return {
    note({ ipAddress: from }, { clientId, ipAddress: to }, atMs) {
      if (from === undefined || to === undefined || from === to) return;
      moves = new Map(moves);
      const earlier = moves.get(clientId) ?? [];
      moves.delete(clientId);
      moves.set(clientId, [...earlier, { atMs, from, to }]);
      forgetOldest(moves, maxMovedIds);
    },
    moves(nowMs) {
      const isRecent = ({ atMs }: AddressMove): boolean => nowMs - atMs <= keepMovesMs;
      if ([...moves.values()].some((each) => !each.every(isRecent)))
        moves = new Map(
          [...moves].flatMap(([clientId, each]) => {
            const recent = each.filter(isRecent);
            return recent.length === 0 ? [] : [[clientId, recent] as const];
          }),
        );
      return moves;
    },
  };
}
