import type { Client, ClientTraffic } from '../../domain/client.ts';
import type { NodeName } from '../../domain/node.ts';
import type { Monitor, ScanState } from '../state.ts';

/** Per second; `undefined` until it is known. */
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

export const unknownTraffic: TrafficRates = { receivedMessages: undefined, sentMessages: undefined, receivedBytes: undefined, sentBytes: undefined };

/** Brokers refresh the counters of a client every 15 s or so: there is no rate over less, and an exact one only over several of these. */
const minMs = 15_000;
const windowMs = 60_000;

interface Reading {
  readonly clients: ReadonlyMap<string, Client>;
  readonly readAtMs: ReadonlyMap<NodeName, number>;
  readonly atMs: number;
}

/** A counter that fell was reset. */
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

/** Another connection counts from zero. */
const isSameConnection = (before: Client | undefined, after: Client): boolean =>
  before !== undefined && before.node === after.node && before.connectedAt === after.connectedAt;

export interface TrafficView {
  readonly rows: readonly TrafficRow[];
  /** Between the two readings that the rates are from; `undefined` while there are no rates. */
  readonly seconds: number | undefined;
}

export interface TrafficTracker {
  /** The same object while nothing changed. New rows show when the whole list is read. */
  update(scan: ScanState<Client>): TrafficView;
}

const trackers = new WeakMap<Monitor, TrafficTracker>();

export function clientTrafficOf(monitor: Monitor): TrafficTracker {
  const known = trackers.get(monitor) ?? createTrafficTracker();
  trackers.set(monitor, known);
  return known;
}

/** Longer lists are kept in fewer readings. */
const maxOften = 2_000;

/** Rates of clients from whole readings of the list, over one to two minutes as soon as there are so many, or since the client connected. */
export function createTrafficTracker(): TrafficTracker {
  /** Oldest first: one that is older than the window, and those since. */
  let readings: readonly Reading[] = [];
  let finishedAtMs: number | undefined;
  let view: TrafficView = { rows: [], seconds: undefined };
  let rows: readonly Client[] | undefined;

  function take({ rows: clients, coverage }: ScanState<Client>, atMs: number): void {
    const readAtMs = new Map([...coverage].flatMap(([node, each]) => (each.isComplete && each.readAtMs !== undefined ? [[node, each.readAtMs] as const] : [])));
    const reading: Reading = { clients: new Map(clients.map((client) => [client.clientId, client])), readAtMs, atMs };
    const earlier = readings.filter((each) => atMs - each.atMs >= minMs);
    const rowOf = (client: Client): TrafficRow => {
      const from = earlier.find((each) => isSameConnection(each.clients.get(client.clientId), client));
      const node = client.node ?? '';
      const [fromMs, toMs] = [from?.readAtMs.get(node), readAtMs.get(node)];
      return { client, rates: fromMs === undefined || toMs === undefined ? unknownTraffic : ratesOf(from?.clients.get(client.clientId)?.traffic, client.traffic, toMs - fromMs) };
    };
    const [oldest] = earlier;
    view = { rows: clients.map(rowOf), seconds: oldest === undefined ? undefined : (atMs - oldest.atMs) / 1_000 };
    const last = readings.at(-1);
    if (last === undefined || atMs - last.atMs >= (clients.length > maxOften ? windowMs : minMs)) readings = [...readings, reading];
    while ((readings[1]?.atMs ?? Infinity) <= atMs - windowMs) readings = readings.slice(1);
  }

  return {
    update(scan) {
      const isNew = scan.phase !== 'running' && scan.finishedAtMs !== undefined && scan.finishedAtMs !== finishedAtMs;
      if (isNew && scan.finishedAtMs !== undefined) {
        finishedAtMs = scan.finishedAtMs;
        take(scan, scan.finishedAtMs);
      } else if (finishedAtMs === undefined && scan.rows !== rows) {
        view = { rows: scan.rows.map((client) => ({ client, rates: unknownTraffic })), seconds: undefined };
      }
      rows = scan.rows;
      return view;
    },
  };
}
