import type { Session } from '../../domain/client.ts';
import type { MonitorState } from '../../monitor/state.ts';
import { reading } from '../../monitor/query/part.ts';
import { clientDetail } from '../clients/detail.ts';
import { sessionScan } from './resource.ts';

/** The facts about the session that a disconnect may end. */
export interface SessionKnowledge {
  readonly session?: Session | undefined;
  /** The broker's disconnect ends the session, too. */
  readonly endsSession?: boolean | undefined;
  /** How old the count of its queue may be when it is read. */
  readonly countersSeconds?: number | undefined;
}

const onlySession = (sessions: readonly Session[] | Error | undefined, clientId: string): Session | undefined => {
  const found =
    sessions === undefined || sessions instanceof Error
      ? []
      : sessions.filter((session) => session.clientId === clientId);
  return found.length === 1 ? found[0] : undefined;
};

/** @param sessions of the client, if they have just been read */
export const sessionKnowledge = (
  state: MonitorState,
  clientId: string,
  sessions = reading(state, clientDetail, clientId).data?.sessions,
): SessionKnowledge => ({
  session: onlySession(sessions, clientId) ?? onlySession(reading(state, sessionScan).rows, clientId),
  endsSession: state.capabilities?.disconnectEndsSession,
  countersSeconds: state.capabilities?.sessionCountersSeconds,
});
