import { compareNatural } from '../../domain/natural-order.ts';
import { averageRate } from '../../domain/rates.ts';
import { isWatched, reading } from '../../monitor/query/part.ts';
import type { MonitorState } from '../../monitor/state.ts';
import { clientScan } from '../../resources/clients/resource.ts';
import { selectRateSeries } from '../../resources/metrics/rates.ts';
import type { AddressMove } from '../../triage/address-moves.ts';
import type { CheckInput, Judgement } from '../../triage/check.ts';
import type { Found, Problem } from '../../triage/problem.ts';

export interface SharedId {
  readonly clientId: string;
  /** The addresses that it comes back to. */
  readonly addresses: readonly string[];
  /** How often it was seen at another address, in so many seconds. */
  readonly moves: number;
  readonly seconds: number;
  /** Sessions that are taken over in the whole cluster, where the broker counts them. */
  readonly takeoversPerSecond: number | undefined;
}

export type SharedIdProblem =
  | Problem<'shared-id', SharedId>
  | Problem<'more-shared-ids', { readonly clientIds: readonly string[] }>;

interface SharedIdReason {
  readonly code: 'addresses-unread' | 'addresses-partly-read';
}

/** A client that roams once or twice, or through several networks, does not come back so often. */
export const minMoves = 4;
/** Devices that fight are seen at both addresses again and again. */
const minVisits = 2;
/** A fight that has not been seen for so long is over. */
const overMs = 120_000;
/** Addresses that so many other clients share are those of proxies, of which each connection may take another one. */
const maxSharers = 10;

/** The key of the problem of a client ID, of which the reconnects of the ID are a part. */
export const sharedIdKey = (clientId: string): string => `shared ${clientId}`;

/** Returns how many sessions are taken over per second, where the broker counts them. */
export const takeoversPerSecond = (state: MonitorState): number | undefined =>
  averageRate(selectRateSeries(state, 'session.takenover'))?.perSecond;

/** Returns the addresses that a client ID came back to; none if nobody fights for it. */
export function contestedAddresses(moves: readonly AddressMove[]): readonly string[] {
  if (moves.length < minMoves) return [];
  const visits = new Map<string, number>();
  for (const { to } of moves) visits.set(to, (visits.get(to) ?? 0) + 1);
  const again = [...visits].filter(([, count]) => count >= minVisits).map(([address]) => address);
  return again.length < 2 ? [] : again.toSorted(compareNatural);
}

function sharersOf(state: MonitorState, addresses: ReadonlySet<string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { ipAddress } of reading(state, clientScan).rows)
    if (ipAddress !== undefined && addresses.has(ipAddress)) counts.set(ipAddress, (counts.get(ipAddress) ?? 0) + 1);
  return counts;
}

/** Finds client IDs that several devices use: each connection takes the session from the other. */
export function judgeSharedIds({
  state,
  history: { addressMoves, clientReadings },
}: CheckInput): Judgement<SharedIdProblem, object, SharedIdReason> {
  const readMs = clientReadings.completeMs ?? 0;
  const contested = [...addressMoves]
    .map(([clientId, moves]) => ({ clientId, moves, addresses: contestedAddresses(moves) }))
    .filter(({ moves, addresses }) => addresses.length > 0 && readMs - (moves.at(-1)?.atMs ?? 0) <= overMs);
  const sharers = sharersOf(state, new Set(contested.flatMap(({ addresses }) => addresses)));
  const perSecond = contested.length === 0 ? undefined : takeoversPerSecond(state);
  return {
    passed: {},
    findings: contested
      .filter(({ addresses }) => addresses.some((address) => (sharers.get(address) ?? 0) <= maxSharers))
      .toSorted((a, b) => b.moves.length - a.moves.length || compareNatural(a.clientId, b.clientId))
      .map(({ clientId, moves, addresses }): Found<SharedIdProblem> => ({
        key: sharedIdKey(clientId),
        severity: 'warning',
        code: 'shared-id',
        evidence: {
          clientId,
          addresses,
          moves: moves.length,
          seconds: Math.max(1, Math.round((readMs - (moves[0]?.atMs ?? readMs)) / 1_000)),
          takeoversPerSecond: perSecond,
        },
      })),
    unchecked:
      clientReadings.complete < 2
        ? [{ code: 'addresses-unread' }]
        : clientReadings.last === 'complete'
          ? []
          : [{ code: 'addresses-partly-read' }],
    reading: {
      noun: 'clients',
      atMs: clientReadings.completeMs,
      isWatched: isWatched(state, clientScan),
    },
  };
}
