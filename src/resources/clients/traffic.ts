import type { Client, ClientTraffic } from '../../domain/client.ts';
import type { NodeName } from '../../domain/node.ts';
import { isWatched, reading, withReading } from '../../monitor/query/part.ts';
import { defineDerived } from '../../monitor/query/query.ts';
import type { MonitorState, ScanState } from '../../monitor/state.ts';
import { clientScan } from './resource.ts';
import { always, firstTime, measureStep, type Refresh, refreshOf, type RefreshTime } from '../../monitor/steps.ts';

/** Traffic of a client per second; `undefined` until it is known. */
export interface TrafficRates {
  readonly receivedMessages: number | undefined;
  readonly sentMessages: number | undefined;
  readonly receivedBytes: number | undefined;
  readonly sentBytes: number | undefined;
}

export interface TrafficRow {
  readonly client: Client;
  readonly rates: TrafficRates;
}

export const unknownTraffic: TrafficRates = {
  receivedMessages: undefined,
  sentMessages: undefined,
  receivedBytes: undefined,
  sentBytes: undefined,
};

/** The reading that the next rates of a client are measured from. */
interface Base {
  readonly traffic: ClientTraffic;
  readonly time: RefreshTime;
  /** The counters as last read, at `readMs`. */
  readonly last: ClientTraffic;
  readonly readMs: number;
  readonly connectedAt: Client['connectedAt'];
  readonly node: NodeName | undefined;
  readonly rates: TrafficRates;
}

/** Returns a rate; `undefined` for a counter that fell, which was reset. */
const perSecond = (before: number | undefined, after: number | undefined, elapsedMs: number): number | undefined =>
  before === undefined || after === undefined || after < before ? undefined : ((after - before) * 1_000) / elapsedMs;

function ratesOf(before: ClientTraffic | undefined, after: ClientTraffic | undefined, elapsedMs: number): TrafficRates {
  if (before === undefined || after === undefined || elapsedMs <= 0) return unknownTraffic;
  return {
    receivedMessages: perSecond(before.receivedMessages, after.receivedMessages, elapsedMs),
    sentMessages: perSecond(before.sentMessages, after.sentMessages, elapsedMs),
    receivedBytes: perSecond(before.receivedBytes, after.receivedBytes, elapsedMs),
    sentBytes: perSecond(before.sentBytes, after.sentBytes, elapsedMs),
  };
}

const isSameTraffic = (a: ClientTraffic, b: ClientTraffic): boolean =>
  a === b ||
  (a.receivedMessages === b.receivedMessages &&
    a.sentMessages === b.sentMessages &&
    a.receivedBytes === b.receivedBytes &&
    a.sentBytes === b.sentBytes);

/** Whether both readings are of one connection: another one counts from zero. */
const isSameConnection = (before: Base, after: Client): boolean =>
  before.node === after.node && before.connectedAt === after.connectedAt;

/** Returns rates of zero, for what the broker counts. */
const stillRates = (traffic: ClientTraffic): TrafficRates => ratesOf(traffic, traffic, 1);

function follow(
  before: Base | undefined,
  client: Client,
  readMs: number,
  refresh: Refresh,
): Base & { readonly elapsedMs?: number } {
  const { traffic = unknownTraffic, connectedAt, node } = client;
  const facts = { last: traffic, readMs, connectedAt, node };
  if (before === undefined || !isSameConnection(before, client))
    return { ...facts, traffic, time: firstTime(readMs, refresh), rates: unknownTraffic };
  const step = measureStep(
    before.time,
    {
      atMs: readMs,
      beforeMs: before.readMs,
      isBase: isSameTraffic(before.traffic, traffic),
      isMoved: !isSameTraffic(before.last, traffic),
    },
    refresh,
  );
  if (step.kind === 'whole')
    return {
      ...facts,
      traffic,
      time: step.base,
      rates: ratesOf(before.traffic, traffic, step.elapsedMs),
      elapsedMs: step.elapsedMs,
    };
  if (step.kind === 'still') return { ...facts, traffic, time: step.base, rates: stillRates(traffic) };
  return step.base === undefined
    ? { ...before, last: traffic, readMs }
    : { ...facts, traffic, time: step.base, rates: before.rates };
}

export interface TrafficView {
  readonly rows: readonly TrafficRow[];
  /** The rates are averaged over so many seconds; `undefined` while there are none. */
  readonly seconds: number | undefined;
}

export interface TrafficTracker {
  /**
   * Takes a reading of the list. Returns the same object while nothing changed. New rows show when the whole list is
   * read.
   */
  update(scan: ScanState<Client>, refresh?: Refresh): TrafficView;
  view(): TrafficView;
}

const noTraffic: TrafficView = { rows: [], seconds: undefined };

/** The clients with their rates. Those of long lists only while a screen shows them: they take much memory. */
export const clientTraffic = defineDerived<TrafficView>('clientTraffic', noTraffic);

/** Limits the rows with rates that no screen shows. */
export const maxTrafficRows = 20_000;

/** Returns the state with the clients as a tracker has them. */
export function withClientTraffic<State extends Pick<MonitorState, 'readings' | 'capabilities' | 'watched'>>(
  state: State,
  tracker: TrafficTracker,
): State {
  const scan = reading(state, clientScan);
  if (state.capabilities?.clientTraffic !== true) return state;
  if (scan.rows.length > maxTrafficRows && !isWatched(state, clientTraffic)) return state;
  const view = tracker.update(scan, refreshOf(state.capabilities));
  return view === reading(state, clientTraffic) ? state : { ...state, ...withReading(state, clientTraffic, view) };
}

/** Tracks rates of clients over whole steps of their counters, from whole readings of the list. */
export function createTrafficTracker(): TrafficTracker {
  let bases: ReadonlyMap<string, Base> = new Map();
  let finishedAtMs: number | undefined;
  let view = noTraffic;
  let rows: readonly Client[] | undefined;

  function take({ rows: clients, coverage }: ScanState<Client>, refresh: Refresh): void {
    const next = new Map<string, Base>();
    let { seconds } = view;
    const rowOf = (client: Client): TrafficRow => {
      const { isComplete = false, readAtMs } = coverage.get(client.node ?? '') ?? {};
      const before = bases.get(client.clientId);
      if (!isComplete || readAtMs === undefined) {
        if (before !== undefined) next.set(client.clientId, before);
        return { client, rates: unknownTraffic };
      }
      const { elapsedMs, ...base } = follow(before, client, readAtMs, refresh);
      if (elapsedMs !== undefined) seconds = elapsedMs / 1_000;
      next.set(client.clientId, base);
      return { client, rates: base.rates };
    };
    const trafficRows = clients.map(rowOf);
    view = { rows: trafficRows, seconds };
    bases = next;
  }

  return {
    view: () => view,
    update(scan, refresh = always) {
      const isNew = scan.phase !== 'running' && scan.finishedAtMs !== undefined && scan.finishedAtMs !== finishedAtMs;
      if (isNew && scan.finishedAtMs !== undefined) {
        finishedAtMs = scan.finishedAtMs;
        take(scan, refresh);
      } else if (finishedAtMs === undefined && scan.rows !== rows) {
        view = { rows: scan.rows.map((client) => ({ client, rates: unknownTraffic })), seconds: undefined };
      }
      rows = scan.rows;
      return view;
    },
  };
}
