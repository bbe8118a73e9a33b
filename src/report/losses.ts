import { isSameSession, type Session } from '../domain/client.ts';

/** Adds up what sessions lose from one reading to the next. */
export interface LossCounter {
  add(rows: readonly Session[]): void;
  /** Returns what the session of a client is known to have lost since the first reading; `undefined` if it has no such counter. */
  of(clientId: string): number | undefined;
}

export function createLossCounter(): LossCounter {
  let lastRows: readonly Session[] = [];
  const known = new Map<string, { readonly session: Session; readonly lost: number }>();
  return {
    add(rows) {
      if (rows === lastRows) return;
      lastRows = rows;
      for (const session of rows) {
        const { clientId, dropped } = session;
        const before = known.get(clientId);
        if (dropped === undefined || before?.session === session) continue;
        // A session that is new since the reading before has lost all that it counts.
        const since =
          before === undefined ? dropped : isSameSession(before.session, session) ? before.session.dropped : 0;
        known.set(clientId, { session, lost: (before?.lost ?? 0) + Math.max(0, dropped - (since ?? dropped)) });
      }
    },
    of: (clientId) => known.get(clientId)?.lost,
  };
}
