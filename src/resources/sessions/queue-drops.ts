import type { NodeName } from '../../domain/node.ts';
import type { RatePoint } from '../metrics/history.ts';
import type { SessionRow } from './history.ts';

/** Losses of sessions; `isMin` if some are unknown. */
export interface Drops {
  readonly perSecond: number;
  /** Messages lost since the sessions were created. */
  readonly total: number;
  readonly isMin: boolean;
}

/** Losses in one reading of all sessions. */
export interface QueueDrops {
  /** Monotonic time. */
  readonly atMs: number;
  readonly cluster: Drops;
  readonly nodes: ReadonlyMap<NodeName, Drops>;
}

const maxReadings = 600;

const noDrops: Drops = { perSecond: 0, total: 0, isMin: false };

/** Returns what a session loses per second. One without losses had none since it was last read, even if it is new. */
const rateOf = ({ session, rates }: SessionRow): number | undefined =>
  rates.droppedPerSecond ?? (session.dropped === 0 ? 0 : undefined);

const add = (sum: Drops, dropped: number | undefined, perSecond: number | undefined): Drops => ({
  perSecond: sum.perSecond + (perSecond ?? 0),
  total: sum.total + (dropped ?? 0),
  isMin: sum.isMin || perSecond === undefined || dropped === undefined,
});

/**
 * Adds up what the queues lose, which no counter of the broker includes. `isFrozen`: sessions whose counters have not
 * moved since the disconnect. `lossOf`: what a session loses now, where the last reading says less because its queue
 * was not full yet.
 */
export function sumQueueDrops(
  rows: readonly SessionRow[],
  isFrozen: (row: SessionRow) => boolean,
  atMs: number,
  lossOf: (row: SessionRow) => number | undefined = () => undefined,
): QueueDrops {
  const nodes = new Map<NodeName, Drops>();
  let cluster = noDrops;
  for (const row of rows) {
    const { node, dropped } = row.session;
    const measured = isFrozen(row) ? undefined : rateOf(row);
    const perSecond = measured === undefined || measured === 0 ? measured : (lossOf(row) ?? measured);
    cluster = add(cluster, dropped, perSecond);
    if (node !== undefined) nodes.set(node, add(nodes.get(node) ?? noDrops, dropped, perSecond));
  }
  return { atMs, cluster, nodes };
}

/** Keeps the last 600 readings: at least 50 minutes. */
export const appendQueueDrops = (readings: readonly QueueDrops[], reading: QueueDrops): readonly QueueDrops[] =>
  [...readings, reading].slice(-maxReadings);

/** Returns the losses of one node, or of the cluster. */
export const dropsIn = ({ cluster, nodes }: QueueDrops, node: NodeName | undefined): Drops =>
  node === undefined ? cluster : (nodes.get(node) ?? noDrops);

export const queueDropSeries = (readings: readonly QueueDrops[], node?: NodeName | undefined): readonly RatePoint[] =>
  readings.map((reading) => ({ atMs: reading.atMs, perSecond: dropsIn(reading, node).perSecond }));
