import { hasSameStart, type Session } from '../domain/client.ts';

/** Adds up what sessions lose from one reading to the next. */
export interface LossCounter {
  add(rows: readonly Session[]): void;
  /** Returns what the session of a client is known to have lost since the first reading; `undefined` if it has no such counter. */
  of(clientId: string): number | undefined;
}

interface Count {
  readonly session: Session;
  /** The most that the session has counted: a node that it left may still list an earlier count. */
  readonly counted: number;
  readonly lost: number;
}

const isOlder = ({ createdAt: a }: Session, { createdAt: b }: Session): boolean =>
  a !== undefined && b !== undefined && a < b;

export function createLossCounter(): LossCounter {
  let lastRows: readonly Session[] = [];
  const known = new Map<string, Count>();
  return {
    add(rows) {
      if (rows === lastRows) return;
      lastRows = rows;
      for (const session of rows) {
        const { clientId, dropped } = session;
        const before = known.get(clientId);
        if (dropped === undefined || before?.session === session) continue;
        if (before === undefined) {
          known.set(clientId, { session, counted: dropped, lost: 0 });
          continue;
        }
        // Of a session that began again, a node may still list the old one.
        if (isOlder(session, before.session)) continue;
        // A session that is new since the reading before has lost all that it counts. One on another node counts on.
        const counted = hasSameStart(before.session, session) ? before.counted : 0;
        known.set(clientId, {
          session,
          counted: Math.max(counted, dropped),
          lost: before.lost + Math.max(0, dropped - counted),
        });
      }
    },
    of: (clientId) => known.get(clientId)?.lost,
  };
}
